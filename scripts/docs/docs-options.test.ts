import { describe, expect, test } from 'vitest';
import { LOOKBACK_MAX_DAYS } from '#lib/contract/limits.ts';
import { readConfig, settingsSchema } from '#lib/server/settings/config.ts';
import { readServeOptions } from '#service/cli/read-serve-options.ts';
import { faultSchema } from '#service/faults/fault.ts';
import { embeddedSource } from '../setup/embedded-service.ts';
import { listenSettings } from '../setup/listen-settings.ts';
import { documentText, tableRows } from './document.ts';

const sorted = (names: Iterable<string>) => [...names].sort();

describe('docs/service.md', () => {
  test('lists every option, and no other', () => {
    const refused = readServeOptions(['--no-such-option'], {});
    const known = refused.ok ? '' : (/write one of (--.*)$/.exec(refused.problems[0] ?? '')?.[1] ?? '');
    const listed = tableRows('docs/service.md', 'option').map(([option = '']) => option.split(' ')[0] as string);
    expect(sorted(new Set(listed))).toEqual(sorted(known.split(', ')));
  });

  test('states the actual defaults', () => {
    const read = readServeOptions([], {});
    if (!read.ok) throw new Error(read.problems.join());
    const { port, host, source, prefix, allowance, dataDir, proxies, control, exitWithParent, announce } = read.options;
    const { receivers, pushPort, keepDays, keepBytes, oneKey } = read.options;
    if (source.kind !== 'simulator') throw new Error('the simulator is not the default');
    const defaults = Object.fromEntries(tableRows('docs/service.md', 'option').map((row) => [row[0], row[1]]));
    expect(defaults).toEqual({
      '--port N': String(port),
      '--host H': host,
      '--source simulator': 'yes',
      '--source recording:FILE[,FILE…]': '',
      '--tracks A,D': `${source.aircraft},${source.drones}`,
      '--seed N': String(source.seed),
      '--prefix PFX': prefix,
      '--allowance M,D': `${allowance.perMinute},${allowance.perDay}`,
      '--data DIR': dataDir ?? '',
      '--feeds FILE': receivers === undefined ? '' : 'some',
      '--receivers URL[,URL…]': receivers === undefined ? '' : 'some',
      '--push-port N': String(pushPort ?? ''),
      '--keep-days N': String(keepDays ?? LOOKBACK_MAX_DAYS),
      '--keep-gb N': String(keepBytes ?? ''),
      '--one-key': oneKey ? 'on' : 'off',
      '--proxies A[,A…]': proxies === undefined ? '' : 'some',
      '--control': control ? 'on' : 'off',
      '--exit-with-parent': exitWithParent ? 'on' : 'off',
      '--announce': announce ? 'on' : 'off',
    });
  });

  test('lists every fault with its settings, and no other', () => {
    const common = new Set(['kind', 'operation', 'times']);
    const known = faultSchema.options.map(({ shape }) => [
      shape.kind.value,
      sorted(Object.keys(shape).filter((name) => !common.has(name))),
    ]);
    const listed = tableRows('docs/service.md', 'kind').map(([kind, , takes = '']) => [
      kind,
      sorted(
        takes
          .replace(/:.*| \(.*/, '')
          .split(', ')
          .filter(Boolean),
      ),
    ]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(known));
  });
});

describe('the settings in README.md', () => {
  const rows = tableRows('README.md', 'setting');
  const listed = rows.flatMap(([settings = '', defaults = '']) => {
    const names = settings.match(/[A-Z][A-Z_]+/g) ?? [];
    const values = names.length > 1 && defaults !== '' ? defaults.split(', ') : names.map(() => defaults);
    return names.map((name, index) => [name, values[index]] as const);
  });

  test('are those that the code reads, and no other', () => {
    // Only the start script sets it.
    const internal = ['POSITIONS_EMBEDDED', 'POSITIONS_ALLOWANCE'];
    const ofServer = Object.keys(settingsSchema.shape);
    const ofStart = ['listen-settings', 'embedded-service'].flatMap((file) => [
      ...documentText(`scripts/setup/${file}.ts`).matchAll(/environment\.([A-Z][A-Z_]+)/g),
    ]);
    const ofBoth = [...ofServer, ...ofStart.map(([, name]) => name as string)];
    const read = new Set(ofBoth.filter((name) => !internal.includes(name)));
    expect(sorted(listed.map(([name]) => name))).toEqual(sorted(read));
  });

  test('have the actual defaults', () => {
    const defaults = Object.fromEntries(listed);
    const config = (environment: Readonly<Record<string, string>>) => {
      const result = readConfig({ POSITIONS_API_KEY: 'key', ...environment } as unknown as NodeJS.ProcessEnv);
      if (!result.ok) throw new Error(result.problems.join());
      return result.config;
    };
    const { dataDir, home, logLevel, mapStyle } = config({
      POSITIONS_API_URL: 'https://positions.example/v1',
    });
    const embedded = config({ POSITIONS_API_URL: 'http://127.0.0.1:1/v1', POSITIONS_EMBEDDED: '1' });
    const listen = listenSettings({} as NodeJS.ProcessEnv);
    const service = readServeOptions([...embeddedSource({} as NodeJS.ProcessEnv)], {});
    if (!listen.ok || !service.ok || service.options.source.kind !== 'simulator') throw new Error('no defaults');
    const { source } = service.options;
    expect(mapStyle).toBeUndefined();
    expect(defaults).toMatchObject({
      PORT: String(listen.port),
      HOST: listen.host,
      DATA_DIR: dataDir,
      HOME_VIEW: [home.lat, home.lon, home.zoom].join(),
      LOG_LEVEL: logLevel,
      EMBEDDED_SOURCE: source.kind,
      EMBEDDED_TRACKS: `${source.aircraft},${source.drones}`,
      EMBEDDED_SEED: String(source.seed),
    });
    const logRow = rows.find(([name]) => name === 'LOG_LEVEL');
    expect(logRow?.[2]).toContain(`with the embedded service ${embedded.logLevel}`);
  });
});
