import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Gone at run time: the compiler checks them. */
const TYPES_ONLY = /\b(?:import|export)\s+type\s[^;'"]*?from\s*['"][^'"]+['"]/g;
/** Imports, and files that are read or started: every string that may be a path. */
const PATHS = /['"`]((?:\.{1,2}\/|#\w+\/|\/)?[\w@.()[\]-]+(?:\/[\w@.()[\]-]+)*\.\w+)['"`]/g;
const ALIAS = /^#(\w+)\//;

/** Which files use which, by their paths from the root. */
export interface Uses {
  readonly users: ReadonlyMap<string, readonly string[]>;
}

/**
 * From the text of files alone, which takes a second: a string with the path of a file is a use of it.
 * @param files paths from the root
 */
export function usesOf(root: string, files: readonly string[]): Uses {
  const known = new Set(files);
  const users = new Map<string, string[]>();
  for (const file of files) {
    if (!/\.[mc]?[jt]sx?$/.test(file) || !existsSync(join(root, file))) continue;
    const text = readFileSync(join(root, file), 'utf8').replaceAll(TYPES_ONLY, '');
    for (const used of pathsIn(text, file, known)) {
      const ofUsed = users.get(used) ?? [];
      ofUsed.push(file);
      users.set(used, ofUsed);
    }
  }
  return { users };
}

function pathsIn(text: string, file: string, known: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, path = ''] of text.matchAll(PATHS)) {
    const plain = path.replace(ALIAS, '$1/').replace(/^\//, '');
    for (const candidate of [join(dirname(file), plain), plain]) if (known.has(candidate)) found.add(candidate);
  }
  found.delete(file);
  return found;
}

/** How many uses a file is away from the nearest changed one, for every file that they reach. */
export function reachedFrom(changed: readonly string[], { users }: Uses): ReadonlyMap<string, number> {
  const distances = new Map(changed.map((file) => [file, 0]));
  for (const [file, distance] of distances)
    for (const user of users.get(file) ?? []) if (!distances.has(user)) distances.set(user, distance + 1);
  return distances;
}

export interface Chosen {
  readonly run: readonly string[];
  readonly left: readonly string[];
}

/**
 * Nearest first, and of those the cheapest first, until the budget is used. Changed tests always run.
 * @param secondsOf processor time of a test file
 */
export function withinBudget(
  distances: ReadonlyMap<string, number>,
  secondsOf: (file: string) => number,
  budgetSeconds: number,
): Chosen {
  const sorted = [...distances].sort(([a, far], [b, near]) => far - near || secondsOf(a) - secondsOf(b));
  const run: string[] = [];
  const left: string[] = [];
  let seconds = 0;
  for (const [file, distance] of sorted) {
    const fits = seconds + secondsOf(file) <= budgetSeconds;
    if (distance > 0 && !fits) left.push(file);
    else {
      run.push(file);
      seconds += secondsOf(file);
    }
  }
  return { run, left };
}
