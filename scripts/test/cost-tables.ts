import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Cost } from './costs.ts';

/** Longer lists would hide the first rows. */
const SHOWN = 30;
/** Faster ones are not worth a row. */
const SHOWN_MIN_SECONDS = 0.1;

const STARTED = { app: 'apps', service: 'services', database: 'PostgreSQL', browser: 'browsers' } as const;

interface Row {
  readonly name: string;
  readonly seconds: number;
  readonly processorSeconds: number;
}

/** The slowest tests and files, and the starts, one line each. */
export function costTables(costs: readonly Cost[]): string {
  const tests = costs.flatMap((cost) =>
    cost.kind === 'test' ? [{ ...cost, name: `${cost.file} › ${cost.title}` }] : [],
  );
  return [...table('tests', tests), ...table('files', filesOf(costs)), ...startLines(costs)].join('\n');
}

/** A file that several processes ran costs their sum. */
export function filesOf(costs: readonly Cost[]): readonly Row[] {
  const files = new Map<string, Row>();
  for (const cost of costs) {
    if (cost.kind !== 'file') continue;
    const { seconds = 0, processorSeconds = 0 } = files.get(cost.file) ?? {};
    files.set(cost.file, {
      name: cost.file,
      seconds: seconds + cost.seconds,
      processorSeconds: processorSeconds + cost.processorSeconds,
    });
  }
  return [...files.values()];
}

function table(what: string, rows: readonly Row[]): readonly string[] {
  if (rows.length === 0) return [];
  const slowest = rows.toSorted((a, b) => worst(b) - worst(a)).slice(0, SHOWN);
  const shown = slowest.filter((row) => worst(row) >= SHOWN_MIN_SECONDS);
  const sum = rows.reduce((total, { processorSeconds }) => total + processorSeconds, 0);
  const title = `\n${rows.length} ${rows.length === 1 ? what.slice(0, -1) : what} took ${Math.round(sum)} s of processor time; the slowest:`;
  const lines = shown.map(
    (row) => `${inSeconds(row.processorSeconds)} ${inSeconds(row.seconds)}  ${oneLine(row.name)}`,
  );
  return shown.length === 0 ? [] : [title, '    cpu    wall', ...lines];
}

/** The greater of processor and wall time: a wait costs too. */
function worst({ seconds, processorSeconds }: Row): number {
  return Math.max(seconds, processorSeconds);
}

function inSeconds(seconds: number): string {
  return seconds.toFixed(1).padStart(7);
}

/** Titles of properties may have anything. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\s]+/gu, ' ');
}

function startLines(costs: readonly Cost[]): readonly string[] {
  const starts = costs.filter((cost) => cost.kind === 'start');
  if (starts.length === 0) return [];
  const lines = Object.entries(STARTED).flatMap(([what, name]) => {
    const of = starts.filter((start) => start.what === what);
    const seconds = of.reduce((sum, start) => sum + start.seconds, 0);
    return of.length === 0 ? [] : [`${String(of.length).padStart(7)} ${inSeconds(seconds)}  ${name}`];
  });
  const all = starts.reduce((sum, { seconds }) => sum + seconds, 0);
  const databases = costs.reduce((sum, cost) => sum + (cost.kind === 'database' ? cost.processorSeconds : 0), 0);
  const used = databases === 0 ? '' : `; PostgreSQL used ${Math.round(databases)} s of processor time`;
  return [`\n${starts.length} starts took ${Math.round(all)} s${used}`, '  count    wall', ...lines];
}

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
