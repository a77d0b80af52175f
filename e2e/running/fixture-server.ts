// On its parent's orders, since a process for each order takes longer to start than most tests.

import type { Role } from '#lib/api/people/permission.ts';
import { changeOperators } from '#lib/server/sign-in/operators.ts';
import { hashPassword } from '#lib/server/sign-in/passwords.ts';
import { readServeOptions } from '#service/cli/read-serve-options.ts';
import { type RunningService, startService } from '#service/server/start-service.ts';
import { keptSource } from '#testing/kept-source.ts';
import { LASTING_REFERENCES } from '#testing/lasting-references.ts';
import { withDatabase } from '../../scripts/setup/with-database.ts';
import type { DatabaseSettings } from './database-settings.ts';

export type FixtureOrder =
  | { readonly kind: 'start-service'; readonly options: readonly string[]; readonly apiKey: string | undefined }
  /** @param started number of the order that started it */
  | { readonly kind: 'stop-service'; readonly started: number }
  | { readonly kind: 'add-operators'; readonly at: DatabaseSettings; readonly people: readonly NewOperator[] };

export interface NewOperator {
  readonly name: string;
  readonly role: Role;
  readonly password: string;
}

export interface ServiceAddress {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly controlUrl: string | undefined;
}

export type FixtureReport =
  | { readonly number: number; readonly kind: 'done'; readonly service?: ServiceAddress }
  | { readonly number: number; readonly kind: 'failed'; readonly problem: string }
  | { readonly number: number; readonly kind: 'logged'; readonly entry: string };

const services = new Map<number, RunningService>();

process.umask(0o077);
process.on('message', ({ number, order }: { readonly number: number; readonly order: FixtureOrder }) => {
  obey(number, order).then(
    (service) => report({ number, kind: 'done', ...(service && { service }) }),
    (problem) => report({ number, kind: 'failed', problem: String(problem) }),
  );
});
process.once('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole group, but the parent still needs this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

async function obey(number: number, order: FixtureOrder): Promise<ServiceAddress | undefined> {
  switch (order.kind) {
    case 'start-service': {
      const service = await start(order, (entry) => report({ number, kind: 'logged', entry }));
      services.set(number, service);
      const { baseUrl, apiKey, controlUrl } = service;
      return { baseUrl, apiKey, controlUrl };
    }
    case 'stop-service':
      await services.get(order.started)?.close();
      services.delete(order.started);
      return undefined;
    case 'add-operators':
      await addOperators(order.at, order.people);
      return undefined;
  }
}

async function start(
  order: FixtureOrder & { readonly kind: 'start-service' },
  log: (entry: string) => void,
): Promise<RunningService> {
  const read = readServeOptions(order.options, { SERVICE_API_KEY: order.apiKey });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const { source: choice, prefix, allowance, apiKey } = read.options;
  const source = await keptSource(choice, log);
  return startService({
    source,
    prefix,
    allowance,
    control: true,
    log,
    ...LASTING_REFERENCES,
    ...(apiKey !== undefined && { apiKey }),
  });
}

async function addOperators(at: DatabaseSettings, people: readonly NewOperator[]): Promise<void> {
  const entries = await Promise.all(
    people.map(async ({ name, role, password }) => ({
      name,
      role,
      password: await hashPassword(password),
      passkeys: [],
    })),
  );
  const environment = { NODE_ENV: 'test' as const, ...at };
  await withDatabase(environment, (database) => changeOperators(database, (operators) => [...operators, ...entries]));
}

function report(message: FixtureReport): void {
  process.send?.(message);
}
