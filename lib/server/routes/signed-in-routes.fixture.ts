import { sealData } from 'iron-session';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { errorAnswerSchema } from '#lib/api/error-code.ts';
import type { Role } from '#lib/api/people/permission.ts';
import { localInstant } from '#lib/time/instant.ts';
import { memoryDatabase } from '../database/memory-database.fixture.ts';
import { Sessions } from '../sign-in/sessions.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { Work } from '../work/work.ts';

const HOST = 'lookout.example';
const SECRET = 'a secret that is long enough to seal a cookie with';
const runtimeSymbol = Symbol.for('lookout.runtime');
const holder = globalThis as { [runtimeSymbol]?: unknown };

/**
 * Declares a runtime for route handlers, with a session of each operator.
 * @param parts of the runtime besides sign-in
 * @returns what makes requests of an operator; of a stranger without one
 */
export function signedInRoutes(roles: Readonly<Record<string, Role>>, parts: object) {
  const cookies = new Map<string, string>();
  beforeAll(async () => {
    const registry = new Sessions(await memoryDatabase(), () => localInstant(0), strictSupervisor().part('sessions'));
    for (const operatorId of Object.keys(roles)) {
      const by = { source: 'password', operatorId, credential: 'hash' } as const;
      const id = await registry.open(by, { browser: 'curl', address: '192.0.2.1', isKept: false });
      cookies.set(operatorId, `__Host-lookout=${await sealData({ id }, { password: SECRET })}`);
    }
    const operators = { find: (name: string) => ({ role: roles[name], password: 'hash', passkeys: [] }) };
    const people = Object.entries(roles).map(([id, role]) => ({ id, name: id, role }));
    const accounts = { people: async () => ({ people }) };
    holder[runtimeSymbol] = Object.defineProperties(
      {
        log: pino({ level: 'silent' }),
        config: { tls: true, publicOrigin: undefined, mapStyle: undefined, upstream: { hasAllowance: true } },
        sessions: { operators, accounts, registry, secret: SECRET, openedCookies: new Map() },
        work: new Work(),
      },
      Object.getOwnPropertyDescriptors(parts),
    );
  });
  afterAll(() => {
    delete holder[runtimeSymbol];
  });
  return (method: string, path: string, operator: string | undefined, body?: unknown) => {
    const headers = new Headers({ host: HOST, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' });
    if (operator !== undefined) headers.set('cookie', cookies.get(operator) ?? '');
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    return new Request(`https://${HOST}${path}`, { method, headers, ...json });
  };
}

/** Status and code of a refusal. */
export async function refusalIn(answer: Response): Promise<[number, string]> {
  return [answer.status, errorAnswerSchema.parse(await answer.json()).error.code];
}
