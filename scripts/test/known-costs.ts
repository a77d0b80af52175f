import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { filesOf } from './cost-tables.ts';
import type { Cost } from './costs.ts';

const knownSchema = z.record(z.string(), z.number());

/** A file that takes longer does not fit into the minute of a change, however little it computes. */
const MINUTE_SECONDS = 60;

/**
 * Processor time of each test file when it ran last here, seconds; for one of over a minute, its wall time. Costs that
 * cannot be read are as none.
 */
export function knownCosts(file: string): Readonly<Record<string, number>> {
  try {
    return existsSync(file) ? knownSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
  } catch {
    return {};
  }
}

export function keepCosts(file: string, costs: readonly Cost[]): void {
  const seen = filesOf(costs).map(({ name, seconds, processorSeconds }) => {
    const cost = seconds > MINUTE_SECONDS ? seconds : processorSeconds;
    return [name, Math.round(cost * 100) / 100];
  });
  if (seen.length === 0) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...knownCosts(file), ...Object.fromEntries(seen) }));
}
