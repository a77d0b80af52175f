import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addMs, formatInstant } from '#lib/time/instant.ts';
import { BBOX, type ConformanceService, START, startConformanceService } from './conformance-service.ts';

let running: ConformanceService;
beforeAll(async () => {
  running = await startConformanceService({ allowance: { perMinute: 10_000, perDay: 100_000 } });
});
afterAll(() => running.service.close());

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function at(msFromNow: number): string {
  return formatInstant(addMs(START, msFromNow));
}

const WINDOW = `start=${at(-HOUR)}&end=${at(0)}`;

async function statusOf(pathAndQuery: string): Promise<number> {
  const answer = await running.get(pathAndQuery);
  if (answer.status !== 200) expect(answer.json.error.code).toBe('invalid_request');
  return answer.status;
}

const live = (query: string) => statusOf(`live/adsb?${query}`);
const history = (query: string) => statusOf(`history/adsb?${query}`);

describe('Query parameters › bbox', () => {
  test('is required in every operation', async () => {
    expect(await live('limit=5')).toBe(400);
    expect(await live('')).toBe(400);
    expect(await statusOf('live/rid')).toBe(400);
    expect(await history(WINDOW)).toBe(400);
  });

  test.each([
    ['three numbers', '8,47,9'],
    ['five numbers', '8,47,9,48,0'],
    ['nothing', ''],
    ['an empty number', '8,,9,48'],
    ['a word', 'west,south,east,north'],
    ['not a number', 'NaN,47,9,48'],
    ['infinity', '8,47,Infinity,48'],
    ['an exponent', '8e0,47,9,48'],
    ['hexadecimal', '0x8,47,9,48'],
    ['a space', '8,%2047,9,48'],
    ['a plus that means a space', '+8,47,9,48'],
    ['other separators', '8;47;9;48'],
  ])('is a string west,south,east,north: %s is refused', async (_what, bbox) => {
    expect(await live(`bbox=${bbox}`)).toBe(400);
  });

  test('commas may be encoded', async () => {
    expect(await live('bbox=8%2C47%2C9%2C48')).toBe(200);
  });

  test.each([
    ['-180,-10,-170,10', 200],
    ['170,-10,180,10', 200],
    ['-180.1,-10,-170,10', 400],
    ['170,-10,180.0001,10', 400],
  ])('longitude is -180 to 180: %s answers %i', async (bbox, status) => {
    expect(await live(`bbox=${bbox}`)).toBe(status);
  });

  test.each([
    ['0,-90,10,-80', 200],
    ['0,80,10,90', 200],
    ['0,-90.1,10,-80', 400],
    ['0,80,10,91', 400],
  ])('latitude is -90 to 90: %s answers %i', async (bbox, status) => {
    expect(await live(`bbox=${bbox}`)).toBe(status);
  });

  test.each([['9,47,8,48'], ['8,47,8,48'], ['179,47,-179,48']])(
    'east must exceed west, and no area crosses the antimeridian: %s is refused',
    async (bbox) => {
      expect(await live(`bbox=${bbox}`)).toBe(400);
      expect(await history(`bbox=${bbox}&${WINDOW}`)).toBe(400);
    },
  );

  test.each([['8,48,9,47'], ['8,47,9,47']])('north must exceed south: %s is refused', async (bbox) => {
    expect(await live(`bbox=${bbox}`)).toBe(400);
  });

  test.each([
    ['-15,30,15,60', 200],
    ['-15,30,15.001,60', 400],
    ['-15,30,15,60.001', 400],
  ])('live: at most 30 degrees per side: %s answers %i', async (bbox, status) => {
    expect(await live(`bbox=${bbox}`)).toBe(status);
  });

  test.each([
    ['5,45,10,50', 200],
    ['5,45,10.001,50', 400],
    ['5,45,10,50.001', 400],
  ])('history: at most 5 degrees per side: %s answers %i', async (bbox, status) => {
    expect(await history(`bbox=${bbox}&${WINDOW}`)).toBe(status);
  });
});

describe('Query parameters › limit', () => {
  test.each([
    ['1', 200],
    ['1000', 200],
    ['0', 400],
    ['1001', 400],
    ['-1', 400],
    ['1.5', 400],
    ['1e2', 400],
    ['', 400],
    ['ten', 400],
    ['99999999999999999999', 400],
    ['%201', 400],
  ])('is an integer 1 to 1000: "%s" answers %i', async (limit, status) => {
    expect(await live(`bbox=${BBOX}&limit=${limit}`)).toBe(status);
    expect(await history(`bbox=${BBOX}&${WINDOW}&limit=${limit}`)).toBe(status);
  });
});

describe('Query parameters › cursor', () => {
  test('is for live only: history refuses it', async () => {
    expect(await history(`bbox=${BBOX}&${WINDOW}&cursor=TST-A-0123456789ABCDEF`)).toBe(400);
  });

  test.each([
    ['lower case', 'TST-A-0123456789abcdef'],
    ['another prefix', 'LKT-A-0123456789ABCDEF'],
    ['too short', 'TST-A-0123456789ABCDE'],
    ['too long', 'TST-A-0123456789ABCDEF0'],
    ['another letter', 'TST-B-0123456789ABCDEF'],
    ['nothing', ''],
    ['well-formed, but never issued', 'TST-A-0123456789ABCDEF'],
  ])('%s is refused', async (_what, cursor) => {
    expect(await live(`bbox=${BBOX}&cursor=${cursor}`)).toBe(400);
  });
});

describe('Query parameters › start and end', () => {
  test('are for history only: live refuses them', async () => {
    expect(await live(`bbox=${BBOX}&start=${at(-HOUR)}`)).toBe(400);
    expect(await live(`bbox=${BBOX}&end=${at(0)}`)).toBe(400);
  });

  test('are both required', async () => {
    expect(await history(`bbox=${BBOX}&start=${at(-HOUR)}`)).toBe(400);
    expect(await history(`bbox=${BBOX}&end=${at(0)}`)).toBe(400);
  });

  test.each([
    ['no timezone', '2026-11-21T11:30:00'],
    ['no time', '2026-11-21'],
    ['seconds since 1970', '1795260600'],
    ['a day that does not exist', '2026-11-31T11:30:00Z'],
    ['an hour that does not exist', '2026-11-21T24:30:00Z'],
    ['a space in place of T', '2026-11-21%2011:30:00Z'],
    ['a zone by name', '2026-11-21T11:30:00UTC'],
  ])('are RFC 3339 timestamps with timezone: %s is refused', async (_what, start) => {
    expect(await history(`bbox=${BBOX}&start=${start}&end=${at(0)}`)).toBe(400);
  });

  test('a + offset must be URL-encoded', async () => {
    expect(await history(`bbox=${BBOX}&start=2026-11-21T12:30:00%2B01:00&end=${at(0)}`)).toBe(200);
    expect(await history(`bbox=${BBOX}&start=2026-11-21T12:30:00+01:00&end=${at(0)}`)).toBe(400);
    expect(await history(`bbox=${BBOX}&start=2026-11-21T06:30:00-05:00&end=${at(0)}`)).toBe(200);
  });

  test('end must be after start', async () => {
    expect(await history(`bbox=${BBOX}&start=${at(-HOUR)}&end=${at(-HOUR + 1)}`)).toBe(200);
    expect(await history(`bbox=${BBOX}&start=${at(-HOUR)}&end=${at(-HOUR)}`)).toBe(400);
    expect(await history(`bbox=${BBOX}&start=${at(-HOUR)}&end=${at(-HOUR - 1)}`)).toBe(400);
  });

  test('end must not be in the future', async () => {
    expect(await history(`bbox=${BBOX}&start=${at(-1000)}&end=${at(0)}`)).toBe(200);
    expect(await history(`bbox=${BBOX}&start=${at(-1000)}&end=${at(1)}`)).toBe(400);
  });

  test('the window spans at most one hour', async () => {
    expect(await history(`bbox=${BBOX}&start=${at(-2 * HOUR)}&end=${at(-HOUR)}`)).toBe(200);
    expect(await history(`bbox=${BBOX}&start=${at(-2 * HOUR - 1)}&end=${at(-HOUR)}`)).toBe(400);
  });

  test('the window lies within the last 30 days', async () => {
    expect(await history(`bbox=${BBOX}&start=${at(-30 * DAY)}&end=${at(-30 * DAY + HOUR)}`)).toBe(200);
    expect(await history(`bbox=${BBOX}&start=${at(-30 * DAY - 1)}&end=${at(-30 * DAY + HOUR - 1)}`)).toBe(400);
  });
});

describe('Query parameters › Rules for all operations', () => {
  test.each(['foo=1', 'BBOX=1', 'Limit=5', 'foo', '=1', '', '__proto__=1', 'constructor=1', 'bbox%20=1', 'layer=adsb'])(
    'unknown parameters are refused: "%s"',
    async (extra) => {
      expect(await live(`bbox=${BBOX}&${extra}`)).toBe(400);
    },
  );

  test.each([`bbox=${BBOX}`, 'bbox=', `%62box=${BBOX}`])(
    'repeated parameters are refused, even unchanged: "%s"',
    async (again) => {
      expect(await live(`bbox=${BBOX}&${again}`)).toBe(400);
    },
  );

  test('a key in the query string is not supported: it is an unknown parameter and does not replace the header', async () => {
    const key = running.service.apiKey;
    for (const name of ['api_key', 'key', 'access_token', 'Authorization']) {
      const answer = await running.get(`live/adsb?bbox=${BBOX}&${name}=${key}`);
      expect(answer.status).toBe(400);
      expect(answer.text).not.toContain(key);
      const without = await running.get(`live/adsb?bbox=${BBOX}&${name}=${key}`, { authorization: null });
      expect(without.status).toBe(401);
    }
  });

  test('the encoded query must stay under 2048 characters', async () => {
    const ofLength = (length: number) => {
      const query = `bbox=${BBOX}&end=${at(0)}&start=2026-11-21T11:30:00.Z`;
      return query.replace(/Z$/, `${'0'.repeat(length - query.length)}Z`);
    };
    expect(await history(ofLength(2047))).toBe(200);
    expect(await history(ofLength(2048))).toBe(400);
    expect(await history(ofLength(9000))).toBe(400);
  });

  test.each(['%', '%2', '%zz', '%ff', '%C3', '%E0%80%80', '%u0041'])(
    'malformed percent-encoding is refused: %s',
    async (bad) => {
      expect(await live(`bbox=${BBOX}&limit=${bad}`)).toBe(400);
      expect(await live(`bbox=${BBOX}&${bad}=1`)).toBe(400);
    },
  );
});
