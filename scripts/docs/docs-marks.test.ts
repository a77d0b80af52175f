import { describe, expect, test } from 'vitest';
import { kindsApart, scalesApart } from '#components/map/marks/kinds-apart.fixture.ts';
import { tableRows } from './document.ts';

const ZOOMS = [2, 5, 8, 11, 14];

describe('docs/marks.md', () => {
  test('has the shapes and sizes as they are measured', () => {
    const measured = ZOOMS.flatMap((zoom) =>
      [true, false].map((known) => {
        const { differingPx, differingPart, dronePx, aircraftPx } = kindsApart(zoom, 'normal', known);
        const part = `${Math.round(100 * differingPart)}%`;
        return [
          String(zoom),
          known ? 'known' : 'unknown',
          String(differingPx),
          part,
          `${dronePx} px`,
          `${aircraftPx} px`,
        ];
      }),
    );
    expect(tableRows('docs/marks.md', 'zoom')).toEqual(measured);
  });

  test('has the differences of colour as they are measured', () => {
    const measured = Object.entries(scalesApart()).map(([seen, difference]) => [seen, difference.toFixed(1)]);
    expect(tableRows('docs/marks.md', 'seen with')).toEqual(measured);
  });
});
