import { readdirSync, readFileSync } from 'node:fs';

/** A tick of /proc, in all builds of Linux. */
const TICK_SECONDS = 0.01;

interface ProcessTimes {
  readonly parent: number;
  readonly ownSeconds: number;
  /** The time of children that ended, and of theirs. */
  readonly endedSeconds: number;
  /** Tells two processes with one id apart. */
  readonly started: string;
}

/** `undefined` outside Linux, and for a process that is gone. */
export function timesOf(pid: number | 'self'): ProcessTimes | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field is a name in brackets, which may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const seconds = (index: number) => Number(fields[index]) * TICK_SECONDS;
  return {
    parent: Number(fields[1]),
    ownSeconds: seconds(11) + seconds(12),
    endedSeconds: seconds(13) + seconds(14),
    started: String(fields[19]),
  };
}

/** Processor time of this process and of its children that ended. Outside Linux, without the children. */
export function ownSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + endedSeconds();
}

/** Of children of this process that ended. Outside Linux, 0. */
export function endedSeconds(): number {
  return timesOf('self')?.endedSeconds ?? 0;
}

/** As `ownSeconds`, with the processes that run below this one. */
export function treeSeconds(): number {
  return descendantsOf(process.pid).reduce((sum, pid) => sum + processorSeconds(pid), ownSeconds());
}

/** Processor time of a process and of its children that ended. */
export function processorSeconds(pid: number): number {
  const times = timesOf(pid);
  return times === undefined ? 0 : times.ownSeconds + times.endedSeconds;
}

/** Parents before their children. Outside Linux, none. */
export function descendantsOf(pid: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of processNames()) {
    const parent = timesOf(Number(name))?.parent;
    if (parent === undefined) continue;
    const siblings = children.get(parent) ?? [];
    siblings.push(Number(name));
    children.set(parent, siblings);
  }
  const found = [pid];
  for (const each of found) found.push(...(children.get(each) ?? []));
  return found.slice(1);
}

function processNames(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

export interface MachineTimes {
  readonly idleSeconds: number;
  readonly allSeconds: number;
}

/** Of all processors, with the work of other programs. `undefined` outside Linux. */
export function machineTimes(): MachineTimes | undefined {
  let lines: string;
  try {
    lines = readFileSync('/proc/stat', 'utf8');
  } catch {
    return undefined;
  }
  // user nice system idle iowait irq softirq steal
  const ticks = (lines.split('\n')[0] ?? '').trim().split(/\s+/).slice(1, 9).map(Number);
  const [, , , idle = 0, waiting = 0] = ticks;
  return {
    idleSeconds: (idle + waiting) * TICK_SECONDS,
    allSeconds: ticks.reduce((sum, each) => sum + each, 0) * TICK_SECONDS,
  };
}
