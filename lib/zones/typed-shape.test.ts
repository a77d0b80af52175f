import { expect, test } from 'vitest';
import { typedShape } from './typed-shape.ts';
import { shapeSchema } from './zone.ts';

const CORNERS = '47.0, 8.0\n47°00\'00"N 9°00\'00"E\n\n480000N 0090000E';

test('corners in any notation are a polygon, closed or not', () => {
  const open = typedShape({ type: 'Polygon', text: CORNERS, metres: null });
  expect(open).toEqual({
    ok: true,
    shape: {
      type: 'Polygon',
      coordinates: [
        [
          [8, 47],
          [9, 47],
          [9, 48],
          [8, 47],
        ],
      ],
    },
  });
  expect(typedShape({ type: 'Polygon', text: `${CORNERS}\n47 8`, metres: null })).toEqual(open);
});

test('a centre with a radius, and a line with a half width, in MGRS too', () => {
  const circle = typedShape({ type: 'Circle', text: '32T MT 65928 56316', metres: 500 });
  expect(circle).toMatchObject({ ok: true, shape: { type: 'Circle', radius_m: 500 } });
  const corridor = typedShape({ type: 'Corridor', text: '47 8\r\n47 9', metres: 250 });
  expect(corridor).toMatchObject({
    shape: {
      type: 'Corridor',
      line: [
        [8, 47],
        [9, 47],
      ],
      half_width_m: 250,
    },
  });
  for (const typed of [circle, corridor]) if (typed.ok) expect(shapeSchema.parse(typed.shape)).toEqual(typed.shape);
});

test.each([
  ['Polygon', '47 8\nnorth\n47 9 10\n48 9', null, ['Line 2: No coordinates', 'Line 3: Not clear']],
  ['Polygon', '47 8\n47 9\n47 8', null, ['The text: 2 places; at least 3']],
  ['Polygon', '47 8\n'.repeat(6000), null, ['The text: More than 5000 lines']],
  [
    'Polygon',
    Array.from({ length: 501 }, (_, index) => `47 ${index / 10}`).join('\n'),
    null,
    ['The text: 501 places; at most 500'],
  ],
  ['Circle', '47 8\n47 9', 500, ['The text: 2 places; at most 1']],
  ['Circle', '47 8', null, ['The radius: It must be 1 to 500000 metres']],
  ['Corridor', '47 8', Number.NaN, ['The text: 1 places; at least 2', 'The half width: It must']],
] as const)('%s of %j is refused by line', (type, text, metres, beginnings) => {
  const typed = typedShape({ type, text, metres });
  const problems = typed.ok ? [] : typed.problems.map(({ place, problem }) => `${place}: ${problem}`);
  expect(problems).toEqual(beginnings.map((beginning) => expect.stringContaining(beginning)));
});
