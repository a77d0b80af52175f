// Serves as many positions services as its parent asks for, until the parent is gone. Starting a process for each costs more than most tests need of
// one.
import { readServeOptions } from '#service/cli/read-serve-options.ts';
import { type RunningService, serviceNow, startService } from '#service/server/start-service.ts';
import type { ComputedSource } from '#service/sources/observation.ts';
import { openSource, type SourceChoice } from '#service/sources/open-source.ts';

/** What the parent sends; `id` is the service. */
export type HostOrder =
  | { readonly id: number; readonly kind: 'start'; readonly options: readonly string[]; readonly apiKey?: string }
  | { readonly id: number; readonly kind: 'stop' };

/** What it is sent back. */
export type HostReport =
  | { readonly id: number; readonly kind: 'ready'; readonly service: ServiceAddress }
  | { readonly id: number; readonly kind: 'logged'; readonly entry: string }
  | { readonly id: number; readonly kind: 'stopped' }
  | { readonly id: number; readonly kind: 'failed'; readonly problem: string };

export interface ServiceAddress {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly controlUrl: string | undefined;
}

const services = new Map<number, RunningService>();
/** Simulated positions depend on the time alone: services with the same simulator share it. */
const simulators = new Map<string, Promise<ComputedSource>>();

process.on('message', (order: HostOrder) => {
  obey(order).then(report, (problem) => report({ id: order.id, kind: 'failed', problem: String(problem) }));
});
process.once('disconnect', () => process.exit(0));

async function obey(order: HostOrder): Promise<HostReport> {
  const { id } = order;
  if (order.kind === 'stop') {
    await services.get(id)?.close();
    services.delete(id);
    return { id, kind: 'stopped' };
  }
  const read = readServeOptions(order.options, { SERVICE_API_KEY: order.apiKey });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const { options } = read;
  const log = (entry: string) => report({ id, kind: 'logged', entry });
  const service = await startService({
    source: await sourceOf(options.source, log),
    prefix: options.prefix,
    allowance: options.allowance,
    control: true,
    log,
    ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
  });
  services.set(id, service);
  const { baseUrl, apiKey, controlUrl } = service;
  return { id, kind: 'ready', service: { baseUrl, apiKey, controlUrl } };
}

function sourceOf(choice: SourceChoice, log: (entry: string) => void): Promise<ComputedSource> {
  if (choice.kind !== 'simulator') return openSource(choice, serviceNow(), log);
  const name = JSON.stringify(choice);
  const simulator = simulators.get(name) ?? openSource(choice, serviceNow(), log);
  simulators.set(name, simulator);
  return simulator;
}

function report(message: HostReport): void {
  process.send?.(message);
}
