import { beforeEach, describe, expect, test } from 'vitest';
import { madeReadTokenSchema, readTokensSchema } from '#lib/api/outputs/read-token.ts';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import type { Database } from '#lib/server/database/database.ts';
import { memoryDatabase } from '#lib/server/database/memory-database.fixture.ts';
import { ReadTokens } from '#lib/server/read-access/read-tokens.ts';
import { refusalIn, signedInRoutes } from '#lib/server/routes/signed-in-routes.fixture.ts';
import { strictSupervisor } from '#lib/server/supervision/supervisor.fixture.ts';
import { localInstant } from '#lib/time/instant.ts';
import { DELETE } from './[id]/route.ts';
import { GET, POST } from './route.ts';

let database: Database;
let recorded: AuditEvent[];

const request = signedInRoutes(
  { root: 'admin', al: 'operator' },
  {
    get readTokens() {
      return new ReadTokens({
        database,
        now: () => localInstant(0),
        monotonicMs: () => 0,
        part: strictSupervisor().part('read_tokens'),
      });
    },
    audit: { record: (_: unknown, event: AuditEvent) => recorded.push(event) },
  },
);

beforeEach(async () => {
  database = await memoryDatabase();
  recorded = [];
  return () => database.close();
});

const make = (operator: string | undefined, body: unknown = { name: ' tar  1090 ', scopes: ['aircraft'] }) =>
  POST(request('POST', '/api/admin/read-tokens', operator, body));
const list = async () =>
  readTokensSchema.parse(await (await GET(request('GET', '/api/admin/read-tokens', 'root'))).json()).tokens;
const revoke = (operator: string | undefined, id: string) =>
  DELETE(request('DELETE', `/api/admin/read-tokens/${id}`, operator));

describe('/api/admin/read-tokens', () => {
  test('shows the secret of a new token once, and records who made and revoked it', async () => {
    const answer = await make('root');
    expect(answer.status).toBe(201);
    const { token, secret } = madeReadTokenSchema.parse(await answer.json());
    expect(token).toMatchObject({ name: 'tar 1090', area: null, altitude_as: null, ends_at: null });
    expect(secret).toMatch(/^lookout_[\w-]{43}$/);
    expect(await list()).toEqual([token]);
    expect((await revoke('root', token.id)).status).toBe(204);
    expect(await list()).toEqual([]);
    expect(recorded).toEqual([
      { kind: 'read_token_made', token: 'tar 1090', scopes: 'aircraft' },
      { kind: 'read_token_revoked', token: 'tar 1090' },
    ]);
    expect(JSON.stringify(recorded)).not.toContain(secret);
  });

  test('is for admins', async () => {
    for (const [operator, refusal] of [
      ['al', [403, 'not_permitted']],
      [undefined, [401, 'not_signed_in']],
    ] as const) {
      expect(await refusalIn(await make(operator))).toEqual(refusal);
      expect(await refusalIn(await revoke(operator, 'x'))).toEqual(refusal);
      expect(await refusalIn(await GET(request('GET', '/api/admin/read-tokens', operator)))).toEqual(refusal);
    }
    expect(recorded).toEqual([]);
  });

  test.each([
    ['a control character in the name', { name: 'a\nb', scopes: ['aircraft'] }],
    ['a change of direction in the name', { name: 'a\u202eb', scopes: ['aircraft'] }],
    ['an empty name', { name: '  ', scopes: ['aircraft'] }],
    ['no scope', { name: 'x', scopes: [] }],
    ['an unknown scope', { name: 'x', scopes: ['admin'] }],
    ['a scope twice', { name: 'x', scopes: ['aircraft', 'aircraft'] }],
    ['an area upside down', { name: 'x', scopes: ['aircraft'], area: [7, 48, 9, 46] }],
    ['an area beyond the Earth', { name: 'x', scopes: ['aircraft'], area: [-1e300, -1, 1, 1] }],
    ['an end without a time zone', { name: 'x', scopes: ['aircraft'], ends_at: '2026-11-27T12:00:00' }],
    ['a secret of its own', { name: 'x', scopes: ['aircraft'], secret: 'lookout_x' }],
  ])('refuses %s', async (_, body) => {
    expect(await refusalIn(await make('root', body))).toEqual([400, 'bad_body']);
    expect(await list()).toEqual([]);
  });
});
