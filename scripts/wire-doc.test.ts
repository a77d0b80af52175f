import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FLAG_DRONE, FLAG_SIMULATED, FLAG_TEST, NUMBER_NAMES, numberField } from '#lib/model/record-fields.ts';

const text = readFileSync(join(import.meta.dirname, '../docs/wire.md'), 'utf8');

test('docs/wire.md has the numbers, steps and flags of the table of fields, in their order', () => {
  const rows = [...text.matchAll(/^\| `(\w+)` \| `(\w+)` \| ([\d.e-]+)(?: (\w+))? \| (\w*) ?\|$/gm)].map(
    ([, name, wire, step, unit = '1', exact]) => ({
      name,
      wire,
      stepsPerUnit: Math.round(1 / Number(step)),
      unit,
      exact,
    }),
  );
  const fields = NUMBER_NAMES.map((name) => {
    const { wire, stepsPerUnit, unit, isExact } = numberField(name);
    return { name, wire, stepsPerUnit, unit, exact: isExact ? 'exact' : '' };
  });
  expect(rows).toEqual(fields);
  expect(text).toContain(`flags (${FLAG_SIMULATED} simulated, ${FLAG_TEST} test broadcast, ${FLAG_DRONE} drone)`);
});
