import { beforeEach, describe, expect, test } from 'vitest';
import { refusalIn } from '#lib/server/routes/signed-in-routes.fixture.ts';
import { servedOutputs } from '#testing/served-outputs.ts';
import { itemsPath } from './feature-data.fixture.ts';

let outputs: Awaited<ReturnType<typeof servedOutputs>>;
let secret: string;
beforeEach(async () => {
  outputs = await servedOutputs();
  secret = await outputs.token();
});

describe('/api/features', () => {
  test.each([
    ['?limit=0'],
    ['?limit=-1'],
    ['?limit=1e3'],
    ['?limit=1&limit=2'],
    ['?bbox=1,2,3'],
    ['?bbox=1,2,1,3'],
    ['?bbox=NaN,0,1,1'],
    ['?bbox=0,0,1e9,1'],
    ['?bbox=-181,0,1,1'],
    ['?bbox=0,90,1,-90'],
    [`?bbox=${'1,'.repeat(900)}`],
    ['?datetime=yesterday'],
    ['?datetime=2026-11-27T12:00:00Z/2026-11-27T11:00:00Z'],
    ['?datetime=../../..'],
    ['?datetime='],
    ['?crs=EPSG:2056'],
    ['?token=x'],
    ['?f=html'],
    [`?next=${'x'.repeat(101)}`],
    ['?__proto__=1'],
  ])('refuses the query %s', async (query) => {
    expect(await refusalIn(await outputs.get(itemsPath('positions', query), secret))).toEqual([400, 'bad_query']);
  });

  test('refuses hostile cursors, collections and ids', async () => {
    for (const next of ["' or 1=1 --", '1_x', '99999999999999999_00000000-0000-0000-0000-000000000000'])
      expect(
        await refusalIn(await outputs.get(itemsPath('alarms', `?next=${encodeURIComponent(next)}`), secret)),
      ).toEqual([400, 'bad_query']);
    for (const path of [
      itemsPath('__proto__'),
      itemsPath('constructor'),
      itemsPath('alarm_outbox'),
      `${itemsPath('alarms')}/%27`,
      `${itemsPath('alarms')}/%00`,
      `${itemsPath('zones')}/%ff`,
    ])
      expect(await refusalIn(await outputs.get(path, secret))).toEqual([404, 'not_found']);
    expect(await refusalIn(await outputs.get('/api/features'))).toEqual([401, 'not_signed_in']);
    expect(await refusalIn(await outputs.get('/api/features', await outputs.token({ scopes: ['aircraft'] })))).toEqual([
      403,
      'not_permitted',
    ]);
  });
});
