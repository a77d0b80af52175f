import { beforeEach, describe, expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { type LoadLines, type PlaceInLine, RUNNING_MAX, type SeekableLoad, WAITING_MAX } from './load-lines.ts';

const FROM = upstreamInstant(Date.UTC(2026, 10, 21, 10, 30));

export function unnamedLoad(): SeekableLoad {
  return { name: undefined, seek: () => undefined };
}

/** Resolves when the load has that place; `undefined`: when it may run. */
export async function atPlace(load: PlaceInLine, place: number | undefined): Promise<void> {
  await load.entered;
  while (load.place !== place) await load.moved;
}

/** The contract of every `LoadLines`. @param make two handles of one new store, possibly the same object */
export function declareLoadLinesSuite(name: string, make: () => Promise<readonly [LoadLines, LoadLines]>): void {
  let lines: LoadLines;
  let other: LoadLines;
  beforeEach(async () => {
    [lines, other] = await make();
  });

  /** In the order of the calls. */
  async function entered(at: LoadLines, operator: string, load = unnamedLoad(), signal = new AbortController().signal) {
    const place = at.enter(operator, load, signal);
    await place.entered;
    return place;
  }

  describe(`${name} as lines of loads`, () => {
    test('two of an operator’s loads run, wherever they came, and the others are in line in the order of their coming', async () => {
      const loads: PlaceInLine[] = [];
      for (let load = 0; load < 5; load++) loads.push(await entered(load % 2 ? lines : other, 'alice'));
      expect(loads.map(({ place }) => place)).toEqual([undefined, undefined, 1, 2, 3]);
      expect((await entered(other, 'bob')).place).toBeUndefined();
      loads[1]?.leave();
      await atPlace(loads[2] as PlaceInLine, undefined);
      await atPlace(loads[3] as PlaceInLine, 1);
      await atPlace(loads[4] as PlaceInLine, 2);
      for (const load of loads) load.leave();
      await atPlace(await entered(lines, 'alice'), undefined);
    });

    test('who is aborted in line leaves it, and who is aborted before does not enter', async () => {
      const closed = new AbortController();
      for (let load = 0; load < 2; load++) await entered(lines, 'alice');
      await entered(lines, 'alice', unnamedLoad(), closed.signal);
      const last = await entered(other, 'alice');
      expect(last.place).toBe(2);
      closed.abort(new Error('the page was closed'));
      await atPlace(last, 1);
      expect(() => lines.enter('alice', unnamedLoad(), closed.signal)).toThrow('the page was closed');
    });

    test('a line that is full refuses the next load of its operator in clear words, and of nobody else', async () => {
      const loads: PlaceInLine[] = [];
      for (let load = 0; load < RUNNING_MAX + WAITING_MAX; load++)
        loads.push(await entered(load % 2 ? other : lines, 'alice'));
      const refused = /^2 of your loads are running and 40 wait in line: end one/;
      expect(() => other.enter('alice', unnamedLoad(), new AbortController().signal)).toThrow(refused);
      expect((await entered(other, 'bob')).place).toBeUndefined();
      loads[7]?.leave();
      await atPlace(loads.at(-1) as PlaceInLine, WAITING_MAX - 1);
      expect((await entered(lines, 'alice')).place).toBe(WAITING_MAX);
    });

    test('a load is moved by its operator, by its name, from wherever that is asked, until it has left', async () => {
      let moved: (from: unknown) => void = () => undefined;
      const arrival = new Promise((resolve) => (moved = resolve));
      const load = await entered(lines, 'alice', { name: 'one', seek: (from) => moved(from) });
      await entered(other, 'alice');
      expect(await other.seek('bob', 'one', FROM)).toBe(false);
      expect(await other.seek('alice', 'two', FROM)).toBe(false);
      expect(await other.seek('alice', 'one', FROM)).toBe(true);
      expect(await arrival).toBe(FROM);
      load.leave();
      await atPlace(await entered(lines, 'alice'), undefined);
      expect(await other.seek('alice', 'one', FROM)).toBe(false);
    });
  });
}
