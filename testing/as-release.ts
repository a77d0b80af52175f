import { RELEASE_MARK } from '#lib/commands/command-text.ts';

/** Runs `use` as a program of a release would. */
export function asRelease<Result>(use: () => Result): Result {
  const mark = Symbol.for(RELEASE_MARK);
  Object.assign(globalThis, { [mark]: true });
  try {
    return use();
  } finally {
    Reflect.deleteProperty(globalThis, mark);
  }
}
