import { serviceNow } from '#service/service-now.ts';
import type { ComputedSource } from '#service/sources/observation.ts';
import { openSource, type SourceChoice } from '#service/sources/open-source.ts';

const simulators = new Map<string, Promise<ComputedSource>>();

/** Opens a source. Simulated positions depend on the time alone, so the services of a process share a simulator. */
export function keptSource(choice: SourceChoice, log: (entry: string) => void): Promise<ComputedSource> {
  if (choice.kind !== 'simulator') return openSource(choice, serviceNow(), log);
  const name = JSON.stringify(choice);
  const simulator = simulators.get(name) ?? openSource(choice, serviceNow(), log);
  simulators.set(name, simulator);
  return simulator;
}
