import { describe, expect, test } from 'vitest';
import { FEED_KINDS } from './feed-kinds.ts';
import { readFeedsFile } from './read-feeds-file.ts';
import { readReceivers } from './read-receivers.ts';

const problemsOf = (file: unknown) => {
  const read = readFeedsFile(typeof file === 'string' ? file : JSON.stringify(file));
  return read.ok ? [] : read.problems;
};
const feed = (change: Readonly<Record<string, unknown>> = {}) => ({
  id: 'roof',
  url: 'http://pi.local/tar1090',
  ...change,
});
const problemsOfUrl = (url: unknown) => problemsOf({ feeds: [feed({ url })] });

describe('a file of feeds', () => {
  test('needs a name and an address for each feed, and has defaults for the rest', () => {
    expect(readFeedsFile(JSON.stringify({ feeds: [feed()] }))).toEqual({
      ok: true,
      feeds: [
        {
          id: 'roof',
          url: 'http://pi.local/tar1090',
          aggregates: false,
          simulated: false,
          policy: { emergency: 'as_received', piaAndLadd: 'serve' },
          sbsTimes: 'arrival',
          username: undefined,
          passwordFile: undefined,
          caFile: undefined,
          keyDigests: [],
        },
      ],
    });
  });

  test('reads settings for all feeds and for one', () => {
    const file = {
      emergency: 'unknown',
      pia_and_ladd: 'withhold',
      feeds: [
        feed({ aggregates: true, simulated: true }),
        feed({ id: 'hill', url: 'sbs://hill', times: 'utc' }),
        feed({ id: 'club', url: 'https://club.example', username: 'me', password_file: '/run/secrets/club' }),
      ],
    };
    expect(readFeedsFile(JSON.stringify(file))).toMatchObject({
      ok: true,
      feeds: [
        { aggregates: true, simulated: true, policy: { emergency: 'unknown', piaAndLadd: 'withhold' } },
        { sbsTimes: 'utc' },
        { username: 'me', passwordFile: '/run/secrets/club' },
      ],
    });
  });

  test('requires one or two keys of a station that pushes, and of no other feed', () => {
    const [one, two] = ['a1'.repeat(32), 'B2'.repeat(32)];
    const push = (key: unknown, id = 'hill') => feed({ id, url: `push://${id}`, key_sha256: key });
    const digestsOf = (key: unknown) => {
      const read = readFeedsFile(JSON.stringify({ feeds: [push(key)] }));
      return read.ok ? read.feeds[0]!.keyDigests : read.problems.join();
    };
    expect(digestsOf(one)).toEqual([one]);
    expect(digestsOf([one, two])).toEqual([one, two!.toLowerCase()]);
    for (const wrong of ['a1', 7, [], [one, two, one]]) expect(digestsOf(wrong)).toContain('64 hex digits');
    expect(problemsOf({ feeds: [feed({ key_sha256: one })] }).join()).toContain('It is for push://');
    expect(problemsOf({ feeds: [feed({ url: 'push://hill' })] }).join()).toContain('write key_sha256 with push://');
    expect(problemsOf({ feeds: [push(one), push([two, one], 'valley')] }).join()).toContain('make another key');
    expect(problemsOf({ feeds: [feed({ url: 'push://hill:80/a', key_sha256: one })] }).join()).toContain('push://hill');
    const short = readReceivers('push://hill');
    expect(short.ok ? [] : short.problems).toEqual(['push://hill: it needs a key: write it in a file of feeds']);
  });

  test.each([
    'http://pi.local',
    'http://pi.local:8080/data/aircraft.json',
    'https://example.org/tar1090/',
    'http://pi.local:30152/re-api/?box=46,48,7,10',
    'http://[::1]:8080/tar1090',
    'jsonport://pi.local:30154',
    'sbs://192.168.1.7',
    'sbs://[fe80::1]:30003',
    'uat://pi.local',
    'file:///run/readsb/aircraft.json',
    'file:///run/my radio/aircraft.json',
    'HTTP://pi.local/TAR1090',
    'SBS://pi.local',
    ' http://pi.local/tar1090\t',
  ])('accepts the address %s', (url) => {
    expect(problemsOfUrl(url)).toEqual([]);
  });

  test.each([
    ['pi.local/tar1090', 'write http:// before it: http://pi.local/tar1090'],
    ['pi.local', 'http://pi.local'],
    ['//pi.local/tar1090', 'before it: http://pi.local/tar1090'],
    ['127.0.0.1:8080', 'before it: http://127.0.0.1:8080'],
    ['pi:8080/tar1090', 'before it: http://pi:8080/tar1090'],
    ['localhost', 'before it: http://localhost'],
    ['[::1]:8080', 'before it: http://[::1]:8080'],
    ['pi.local:30003', 'before it: sbs://pi.local:30003'],
    ['pi.local:30154', 'before it: jsonport://pi.local:30154'],
    ['pi.local:30979', 'before it: uat://pi.local:30979'],
    ['pi.local:30005', 'Beast is not read'],
    ['/run/readsb/aircraft.json', 'before it: file:///run/readsb/aircraft.json'],
    ['/dev/ttyUSB0', 'before it: serial:///dev/ttyUSB0'],
    ['http://pi.local:8080 /tar1090', 'a space or an unseen character'],
    ['http://pi.local/tar\u200b1090', 'a space or an unseen character'],
    ['http://[fe80::1%25eth0]:8080/tar1090', '%eth0 names an interface'],
    ['jsonport://[fe80::1%eth0]:30154', '%eth0 names an interface'],
    ['http://fe80::1/tar1090', 'in brackets'],
    ['http://pi.local:80800/', 'write a port from 1 to 65535'],
    ['http://pi.local:0/', 'write a port from 1 to 65535'],
    ['dragonsync+http://kit.local:0', 'write a port from 1 to 65535'],
    ['http://http://pi.local', 'once'],
    ['file:///run/readsb/aircraft.json?x=1', 'leave out what follows ?'],
    ['', 'write an address such as'],
    ['the pi', 'a space'],
    ['pi', 'write an address such as'],
    [7, 'write the address of the feed'],
    ['ftp://pi.local', 'write one of http://, https://, file://'],
    ['toString://pi.local', 'write one of http://'],
    ['beast://pi.local:30005', '--net-json-port'],
    ['mqtt://broker', 'dronescout+mqtt://'],
    ['http://me:secret@pi.local', 'username and password_file'],
    ['sbs://pi.local/#map', 'leave out what follows #'],
    ['jsonport://pi.local', 'a port is missing, such as jsonport://pi.local:30154'],
    ['sbs:///', 'a host is missing'],
    ['sbs://pi.local:0', 'write a port from 1 to 65535'],
    ['sbs://pi.local:30003/data', 'leave out what follows host and port'],
    ['file://pi.local/run/readsb/aircraft.json', 'three slashes'],
    ['file:///run/readsb/', 'write the whole path'],
  ])('refuses the address %j: %s', (url, instead) => {
    const [problem, ...others] = problemsOfUrl(url);
    expect(others).toEqual([]);
    expect(problem).toContain('feeds[0].url: ');
    expect(problem).toContain(instead);
    expect(problem).not.toContain('secret');
  });

  test('names all mistakes at once, with what to write instead', () => {
    const problems = problemsOf({
      emergency: 'none',
      pia: 'withhold',
      feeds: [
        feed({ simulated: false, aggregates: 'yes', times: 'local' }),
        feed({ id: 'the roof', url: 'radar://roof', user: 'me' }),
        feed({ username: 'me' }),
        'http://pi.local',
      ],
    });
    expect(problems).toEqual([
      expect.stringMatching(/^emergency: write "as_received" or "unknown"/),
      expect.stringMatching(/^feeds\[0\]\.aggregates: write true if/),
      expect.stringMatching(/^feeds\[0\]\.simulated: write true, or leave it out/),
      expect.stringMatching(/^feeds\[0\]\.times: write "utc"/),
      expect.stringMatching(/^feeds\[1\]\.id: write 1 to 40 letters/),
      expect.stringMatching(/^feeds\[1\]\.url: write one of http/),
      'feeds[1]: user is unknown: leave it out',
      expect.stringMatching(/^feeds\[3\]: write a feed as/),
      'pia is unknown: leave it out',
      expect.stringMatching(/^feeds\[0\]\.times: http:\/\/ does not use it/),
      'feeds[2]: write username and password_file, or neither',
      'feeds[2].id: the same as that of feeds[0]; write another name',
      'feeds[2].url: the same as that of feeds[0]; leave it out, or one station would count as two',
    ]);
  });

  test.each([
    ['{"feeds":[', 'it is not JSON'],
    ['[]', 'write {"feeds":['],
    ['{}', 'feeds: write a list of feeds'],
  ])('refuses %s', (text, problem) => {
    expect(problemsOf(text).join('\n')).toContain(problem);
  });

  test('accepts a file without feeds', () => {
    expect(readFeedsFile('{"feeds":[]}')).toEqual({ ok: true, feeds: [] });
  });
});

describe('a setting without effect', () => {
  const VALUES = {
    times: 'utc',
    username: 'me',
    password_file: 'password',
    ca_file: 'ca.pem',
    key_sha256: 'a1'.repeat(32),
    emergency: 'unknown',
    pia_and_ladd: 'withhold',
    key_file: 'club-key',
    layers: ['adsb'],
    areas: ['7,46,11,49'],
    seconds: 5,
    requests_a_day: 50_000,
  } as const;
  const NEEDED = ['key_sha256', 'key_file', 'areas', 'requests_a_day'] as const;
  const everyKind = Object.entries(FEED_KINDS).map(([scheme, kind]) => ({ scheme, kind, url: kind.example }));
  const everyPair = everyKind.flatMap((each) =>
    (Object.keys(VALUES) as (keyof typeof VALUES)[]).map((setting) => ({ ...each, setting })),
  );

  test.each(everyPair)('$setting of $scheme:// is used or refused by name', ({ kind, url, setting }) => {
    const isOfAll = setting === 'emergency' || setting === 'pia_and_ladd';
    const given = { [setting]: VALUES[setting] };
    const needed = Object.fromEntries(
      NEEDED.filter((name) => kind.settings.includes(name)).map((name) => [name, VALUES[name]]),
    );
    const pair =
      setting === 'username' ? { password_file: 'password' } : setting === 'password_file' ? { username: 'me' } : {};
    const file = isOfAll
      ? { ...given, feeds: [feed({ url, ...needed })] }
      : { feeds: [feed({ url, ...needed, ...pair, ...given })] };
    const problems = problemsOf(file);
    if (kind.settings.includes(setting)) return expect(problems).toEqual([]);
    const place = isOfAll ? `${setting}: ` : `feeds[0].${setting}: `;
    expect(problems.filter((problem) => problem.startsWith(place))).toHaveLength(1);
  });

  test('is refused with what to write instead', () => {
    const problemOf = (change: Readonly<Record<string, unknown>>) => problemsOf({ feeds: [feed(change)] }).join();
    expect(problemOf({ url: 'https://pi.local', ca_file: 'ca.pem' })).toContain('NODE_EXTRA_CA_CERTS=FILE');
    expect(problemOf({ url: 'dronescout+mqtt://broker', ca_file: 'ca.pem' })).toContain('write dronescout+mqtts://');
    expect(problemOf({ times: 'utc' })).toBe('feeds[0].times: http:// does not use it: leave it out. It is for sbs://');
  });

  test('for all feeds is accepted if one feed uses it', () => {
    const feeds = [feed({ id: 'usb', url: 'serial:///dev/ttyUSB0' })];
    expect(problemsOf({ pia_and_ladd: 'withhold', feeds })).toHaveLength(1);
    expect(problemsOf({ pia_and_ladd: 'withhold', feeds: [...feeds, feed()] })).toEqual([]);
    expect(problemsOf({ pia_and_ladd: 'withhold', feeds: [] })).toEqual([]);
  });
});

test('normalises addresses', () => {
  const read = readFeedsFile(`\uFEFF${JSON.stringify({ feeds: [feed({ url: ' SBS://pi.local ' })] })}`);
  expect(read.ok && read.feeds[0]?.url).toBe('sbs://pi.local');
  const short = readReceivers(' HTTP://pi.local/TAR1090 ');
  expect(short.ok && short.feeds[0]?.url).toBe('http://pi.local/TAR1090');
});

describe('RECEIVERS', () => {
  test('makes a feed of each address, named after its host', () => {
    const text =
      'http://pi.local/tar1090, jsonport://pi.local:30154 ,file:///run/readsb/aircraft.json,sbs://[::1]:30003,';
    const read = readReceivers(text);
    expect(read.ok && read.feeds.map(({ id, url }) => [id, url])).toEqual([
      ['pi.local', 'http://pi.local/tar1090'],
      ['pi.local-2', 'jsonport://pi.local:30154'],
      ['aircraft.json', 'file:///run/readsb/aircraft.json'],
      ['1', 'sbs://[::1]:30003'],
    ]);
    expect(read.ok && read.feeds.every(({ simulated, aggregates }) => !simulated && !aggregates)).toBe(true);
  });

  test('all that is wrong is named at once, and no password', () => {
    const read = readReceivers('pi.local, http://me:secret@pi.local, sbs://pi.local, sbs://pi.local');
    expect(read.ok ? [] : read.problems).toEqual([
      'pi.local: write http:// before it: http://pi.local',
      expect.stringMatching(/^http:\/\/…@pi\.local: leave user and password out/),
      'sbs://pi.local: leave it out: it is there already',
    ]);
    expect(readReceivers(' , ')).toEqual({
      ok: false,
      problems: ['write the address of a receiver, such as http://pi.local/tar1090'],
    });
  });
});

describe('the same station twice', () => {
  const http = 'http://pi.local/tar1090';
  test.each([
    [http, 'http://pi.local/tar1090/'],
    [http, 'http://PI.local:80//tar1090/data/aircraft.json'],
    [http, 'http://pi.local./tar1090/index.html?icao=4b1800#map'],
    ['http://127.0.0.1:8080/tar1090', 'http://localhost:8080/tar1090'],
    ['http://127.0.0.1:8080/tar1090', 'http://[::1]:8080/tar1090'],
    ['http://localhost:8080', 'http://127.1:8080/data/aircraft.json'],
    ['file:///run/readsb/aircraft.json', 'file://localhost/run//readsb/./aircraft.json'],
    ['sbs://pi.local', 'sbs://PI.local:30003'],
    ['dronescout+mqtt://127.0.0.1', 'dronescout+mqtt://localhost:1883/%23'],
    ['dragonsync+http://kit.local', 'dragonsync+http://kit.local:8088/drones/'],
    ['serial:///dev/ttyUSB0', 'serial:///dev/ttyUSB0?baud=115200'],
  ])('is refused, as %s and %s', (one, other) => {
    const feeds = [one, other].map((url, index) => ({ id: `f${index}`, url }));
    expect(readFeedsFile(JSON.stringify({ feeds }))).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('feeds[1].url: another spelling of that of feeds[0]')],
    });
    expect(readReceivers(`${one},${other}`)).toMatchObject({ ok: false });
  });

  test.each([
    [http, 'http://pi.local:8080/tar1090'],
    [http, 'http://hill.local/tar1090'],
    ['http://pi.local', 'http://pi.local/skyaware978'],
    ['sbs://pi.local', 'sbs://pi.local:30004'],
    ['dronescout+mqtt://broker/a', 'dronescout+mqtt://broker/b'],
    ['http://pi.local:30152/re-api/?box=46,48,7,10', 'http://pi.local:30152/re-api/?box=46,48,10,12'],
  ])('is not %s and %s', (one, other) => {
    const feeds = [one, other].map((url, index) => ({ id: `f${index}`, url }));
    expect(readFeedsFile(JSON.stringify({ feeds }))).toMatchObject({ ok: true });
  });
});
