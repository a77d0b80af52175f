import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LABEL_SIDES, type LabelWish, labelCorner, placeLabels, type ScreenMarks } from './place-labels.ts';

interface Scene {
  readonly marks: ScreenMarks;
  readonly wishes: readonly LabelWish[];
}

const scene: fc.Arbitrary<Scene> = fc
  .array(
    fc.record({
      x: fc.double({ min: -400, max: 400, noNaN: true }),
      y: fc.double({ min: -250, max: 250, noNaN: true }),
      half: fc.constantFrom(3.5, 11, 17),
      width: fc.constantFrom(30, 60, 150),
      lines: fc.constantFrom(1, 2),
      isVital: fc.boolean(),
      before: fc.option(fc.nat(LABEL_SIDES.length - 1), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 120 },
  )
  .map((all) => ({
    marks: {
      count: all.length,
      x: Float32Array.from(all, ({ x }) => x),
      y: Float32Array.from(all, ({ y }) => y),
      halfPx: Float32Array.from(all, ({ half }) => half),
    },
    wishes: all.map(({ x, y, half, width, lines, isVital, before }, mark) => ({
      mark,
      at: { x: Math.fround(x), y: Math.fround(y), halfPx: half },
      widthPx: width,
      heightPx: lines * 12.5,
      isVital,
      sideBefore: before,
    })),
  }));

const placeOf = ({ x, y, halfPx }: ScreenMarks, mark = 0) => ({ x: x[mark]!, y: y[mark]!, halfPx: halfPx[mark]! });

interface Box {
  readonly wish: LabelWish;
  readonly edges: readonly [west: number, north: number, east: number, south: number];
}

function boxes({ wishes }: Pick<Scene, 'wishes'>, sides: readonly (number | undefined)[]): Box[] {
  return wishes.flatMap((wish, at) => {
    const side = sides[at];
    if (side === undefined) return [];
    const { at: place, widthPx, heightPx } = wish;
    const [x, y] = labelCorner(side, place.halfPx, widthPx, heightPx);
    const [west, north] = [place.x + x, place.y + y];
    return [{ wish, edges: [west, north, west + widthPx, north + heightPx] }];
  });
}

function overlap(a: Box['edges'], b: Box['edges']): boolean {
  return a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
}

describe('placeLabels', () => {
  test('no label covers another, and none a mark, its own included, but for vital ones', () => {
    fc.assert(
      fc.property(scene, (given) => {
        const placed = boxes(given, placeLabels(given.marks, given.wishes, 250));
        const { x, y, halfPx, count } = given.marks;
        const covered: unknown[] = [];
        placed.forEach((box, at) => {
          for (const other of placed.slice(at + 1)) if (overlap(box.edges, other.edges)) covered.push([box, other]);
          for (let mark = 0; mark < count; mark++) {
            const half = halfPx[mark]!;
            const square = [x[mark]! - half, y[mark]! - half, x[mark]! + half, y[mark]! + half] as const;
            const isOwn = box.wish.mark === mark;
            if ((isOwn || !box.wish.isVital) && overlap(box.edges, square)) covered.push([box, mark]);
          }
        });
        expect(covered).toEqual([]);
      }),
    );
  });

  test('placed again, all labels keep their sides, and moved by less than their clearance too', () => {
    const jitter = fc.array(
      fc.tuple(fc.double({ min: -0.49, max: 0.49, noNaN: true }), fc.double({ min: -0.49, max: 0.49, noNaN: true })),
      {
        minLength: 120,
        maxLength: 120,
      },
    );
    fc.assert(
      fc.property(scene, jitter, ({ marks, wishes }, moves) => {
        const ordinary = wishes.map((wish) => ({ ...wish, isVital: false, sideBefore: undefined }));
        const first = placeLabels(marks, ordinary, 250);
        const shown = ordinary.flatMap((wish, at) =>
          first[at] === undefined ? [] : [{ ...wish, sideBefore: first[at] }],
        );
        const moved = {
          ...marks,
          x: marks.x.map((x, at) => x + moves[at]![0]),
          y: marks.y.map((y, at) => y + moves[at]![1]),
        };
        const sidesBefore = shown.map(({ sideBefore }) => sideBefore);
        expect(placeLabels(marks, shown, 250)).toEqual(sidesBefore);
        const movedWishes = shown.map((wish) => ({ ...wish, at: placeOf(moved, wish.mark) }));
        expect(placeLabels(moved, movedWishes, 250)).toEqual(sidesBefore);
      }),
    );
  });

  test('the same scene gives the same sides, never more than the limit', () => {
    fc.assert(
      fc.property(scene, fc.nat(20), ({ marks, wishes }, limit) => {
        const sides = placeLabels(marks, wishes, limit);
        expect(placeLabels(marks, wishes, limit)).toEqual(sides);
        expect(sides.filter((side) => side !== undefined).length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  test('a vital label is shown wherever no label before it is in the way', () => {
    const pile = {
      count: 300,
      x: new Float32Array(300),
      y: new Float32Array(300),
      halfPx: new Float32Array(300).fill(11),
    };
    for (let mark = 0; mark < 300; mark++)
      [pile.x[mark], pile.y[mark]] = [(mark % 20) * 8 - 80, Math.floor(mark / 20) * 8 - 60];
    const wish = { mark: 150, at: placeOf(pile, 150), widthPx: 60, heightPx: 12.5, sideBefore: undefined };
    expect(placeLabels(pile, [{ ...wish, isVital: false }], 250)).toEqual([undefined]);
    expect(placeLabels(pile, [{ ...wish, isVital: true }], 250)).toEqual([0]);
    const kept = { ...wish, isVital: true, sideBefore: 6 };
    expect(placeLabels(pile, [kept], 250), 'at its side').toEqual([6]);
  });
});
