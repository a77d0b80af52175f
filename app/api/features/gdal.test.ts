import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import { servedOutputs } from '#testing/served-outputs.ts';
import { ALPS, addZone, alarm, CORRIDOR, raise } from './feature-data.fixture.ts';

let outputs: Awaited<ReturnType<typeof servedOutputs>>;
let secret: string;
beforeEach(async () => {
  outputs = await servedOutputs();
  secret = await outputs.token();
});

const hasGdal = spawnSync('ogrinfo', ['--version']).status === 0;

describe.skipIf(!hasGdal)('GDAL (apt-get install gdal-bin)', () => {
  const run = async (program: string, args: readonly string[]) => {
    const env = { ...process.env, GDAL_HTTP_HEADERS: `Authorization: Bearer ${secret}` };
    return (await promisify(execFile)(program, args, { env, maxBuffer: 64 * 1024 * 1024 })).stdout;
  };

  test('ogrinfo lists the collections, and reads every position once over pages', async () => {
    outputs.receive(
      'adsb',
      ALPS,
      Array.from({ length: 2500 }, (_, number) => ({ ref: `ref ${number}`, heightAglM: number })),
    );
    await addZone(outputs, { name: 'Gate', shape: CORRIDOR });
    const source = `OAPIF:${outputs.url}/api/features`;
    expect(await run('ogrinfo', [source])).toMatch(/zones.*\n.*alarms.*\n.*positions/);
    const summary = await run('ogrinfo', ['-so', source, 'positions']);
    expect(summary).toContain('Feature Count: 2500');
    expect(summary).toMatch(/Geometry: Point/);
    expect(await run('ogrinfo', ['-so', source, 'zones'])).toMatch(/Geometry: Multi Polygon/);
  });

  test('ogr2ogr copies positions and alarms with null, zero and marks', async () => {
    const { id } = await addZone(outputs, {});
    await raise(outputs, [alarm(id, 1, { simulated: true }), alarm(id, 2, { evidence: [] })]);
    outputs.receive('adsb', ALPS, [{ ref: 'x', heightAglM: 0, testBroadcast: true }]);
    const copied = async (collection: string) =>
      JSON.parse(
        await run('ogr2ogr', ['-f', 'GeoJSON', '/vsistdout/', `OAPIF:${outputs.url}/api/features`, collection]),
      ).features;
    expect(await copied('positions')).toMatchObject([
      { properties: { height_agl_m: 0, altitude_m: null, test_broadcast: true, simulated: false } },
    ]);
    expect(await copied('alarms')).toMatchObject([
      { geometry: { type: 'Point' }, properties: { simulated: true, zone: 'Runway 14/32' } },
      { geometry: null, properties: { simulated: false } },
    ]);
  });
});
