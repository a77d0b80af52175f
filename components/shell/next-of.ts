/** The next choice after `current`; the first one follows the last. */
export function nextOf<T>(all: readonly T[], current: T): T {
  return all[(all.indexOf(current) + 1) % all.length] as T;
}
