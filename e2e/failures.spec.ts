import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LookoutDriver } from './driver/lookout-driver.ts';
import { type Desk, expect, test } from './lookout-test.ts';
import type { RunningLookout } from './running/running-lookout.ts';
import type { Fault, ReceivedRequest } from './running/running-service.ts';

// In sequence: both mostly wait, and would keep two workers.
test.describe.configure({ mode: 'default' });

/** No outage uses up the allowance. */
const smallWorld = { options: ['--tracks', '60,20', '--allowance', '6000,200000'] };
const view = '/?view=46.9,8.2,7';

/** To observe a failure; a healthy layer is read every second. */
const OUTAGE_S = 8;
/** Longer than several reads of a healthy layer. */
const SEVERAL_READS_S = 11;
/** lib/server/live/failure-table.test.ts covers the rate of retries. */
const BRIEFLY_S = 3;

const SINCE = String.raw`since \d\d:\d\d:\d\dZ`;
const SHOWING = String.raw`showing positions read \d+ s ago`;

/**
 * Pauses are random, up to 2, 4, 8, 16 and 32 s: seven requests a minute are unlikely, and a healthy layer has sixty.
 */
const BACKED_OFF_MAX = 6;

type StartDesk = (setting?: object) => Promise<Desk>;

async function watchingDesk(startDesk: StartDesk): Promise<Desk> {
  const desk = await startDesk({ service: smallWorld });
  await desk.operator.watches(view);
  await recovers(desk.operator);
  return desk;
}

/** In every failure, received positions stay and age. */
async function positionsStayAndAge(operator: LookoutDriver, seconds = OUTAGE_S): Promise<void> {
  await operator.waitsUntilOld('Aircraft', seconds);
  expect(await operator.marksDrawn()).toBeGreaterThan(0);
  await expect(operator.page.getByText('No aircraft positions received')).toHaveCount(0);
}

async function recovers(operator: LookoutDriver): Promise<void> {
  for (const layer of ['Aircraft', 'Drones'] as const) {
    await expect(operator.state(layer)).toHaveText(/up to date/);
  }
}

async function expectAtMostPerLayer(lookout: RunningLookout, max: number): Promise<void> {
  expect((await lookout.service.requestsFor('live_rid')).length, 'requests for drones').toBeLessThanOrEqual(max);
  expect((await lookout.service.requestsFor('live_adsb')).length, 'requests for aircraft').toBeLessThanOrEqual(max);
}

test('Lasting failures: each is shown with its reason, costs one request, and leaves the rest unchanged', async ({
  startDesk,
}, info) => {
  const keyFile = info.outputPath('key');
  writeKey(keyFile, 'a-key-that-was-never-valid');
  const { operator, lookout } = await startDesk({ service: smallWorld, settings: { POSITIONS_API_KEY_FILE: keyFile } });

  await test.step('a key that is wrong from the start shows no empty sky, costs one request, and its replacement is tried at once', async () => {
    await operator.goesTo(view);
    for (const layer of ['Aircraft', 'Drones'] as const) {
      await expect(operator.state(layer)).toHaveText(
        new RegExp(`^${layer}: key refused by the service ${SINCE}, nothing to show$`),
      );
    }
    expect(await lookout.service.requests()).toHaveLength(1);
    writeKey(keyFile, lookout.service.apiKey);
    await operator.seesPositions();
    await recovers(operator);
  });

  await test.step('403 for one layer: says that the account has no access to it, sends one request, and the other layer continues', async () => {
    await lookout.service.breakWith({ kind: 'status', status: 403, operation: 'live_rid' });
    await expect(operator.state('Drones')).toHaveText(
      new RegExp(`^Drones: this account has no live access to this layer, ${SHOWING}$`),
    );
    await operator.waitsUntilOld('Drones', SEVERAL_READS_S);
    expect(await operator.countOf('Drones')).toBeGreaterThan(0);
    await expect(operator.state('Aircraft')).toHaveText(/^Aircraft: up to date/);
    expect(await lookout.service.requestsFor('live_rid')).toHaveLength(1);
    expect((await lookout.service.requestsFor('live_adsb')).length).toBeGreaterThanOrEqual(2);
  });

  await test.step('401: says that the key is refused, costs exactly one request, and does not retry after the fault', async () => {
    await operator.switchesLayer('Drones');
    await lookout.service.breakWith({ kind: 'status', status: 401, times: 1 });
    await expect(operator.state('Aircraft')).toHaveText(
      new RegExp(`^Aircraft: key refused by the service ${SINCE}, ${SHOWING}$`),
    );
    await positionsStayAndAge(operator, SEVERAL_READS_S);
    expect(await lookout.service.requests()).toHaveLength(1);
  });

  await test.step('Lookout’s own server is gone: says so over the map, and the positions age', async () => {
    const before = await operator.secondsOld('Aircraft');
    await lookout.app.stop();
    await expect(operator.notice('unreachable')).toHaveText(
      /^Lookout’s own server does not answer\. Last update \d+ s ago\.$/,
    );
    await positionsStayAndAge(operator, before + OUTAGE_S);
    await expect(operator.state('Aircraft')).not.toHaveText(/up to date/);
  });
});

const passing: Readonly<Record<string, (desk: Desk) => Promise<void>>> = {
  '503: says so and since when, and does not retry often': (desk) =>
    isUnusable(desk, { kind: 'status', status: 503 }, 'service busy'),

  '200 with HTML: says so and since when': (desk) =>
    isUnusable(desk, { kind: 'html' }, 'no answer from the service', BRIEFLY_S),

  'JSON that is cut off: says so and since when': (desk) =>
    isUnusable(desk, { kind: 'cut_json' }, 'unreadable answer from the service', BRIEFLY_S),

  '429 with Retry-After: shows the end of the pause, and sends no request before it': async ({ operator, lookout }) => {
    await lookout.service.breakWith({ kind: 'status', status: 429, retry_after: '9', times: 2 });
    for (const layer of ['Aircraft', 'Drones'] as const) {
      await expect(operator.state(layer)).toHaveText(
        new RegExp(`^${layer}: paused by the account’s allowance until \\d\\d:\\d\\d:\\d\\dZ, ${SHOWING}$`),
      );
    }
    await positionsStayAndAge(operator);
    await recovers(operator);
    const receivedMs = (await lookout.service.requests()).map(({ received_at }) => Date.parse(received_at));
    const [first = Number.NaN] = receivedMs;
    // The other layer's request was in flight.
    const during = receivedMs.slice(2).map((ms) => ms - first);
    expect(Math.min(...during), 'ms to the first request afterwards').toBeGreaterThanOrEqual(9000);
  },

  'answers after 8 s: no viewer waits for one, and it is shown when it arrives': async ({ operator, lookout }) => {
    await lookout.service.breakWith({ kind: 'slow', delay_ms: 8000 });
    // The age is 8 s only for an instant.
    const before = 6;
    await positionsStayAndAge(operator, before);
    // Only a new answer makes them younger.
    await expect.poll(() => operator.secondsOld('Aircraft'), 'the slow answer is shown').toBeLessThan(before);
    expect(operator.answers.slowestMs(), 'of Lookout’s own answers').toBeLessThan(6000);
    await expectAtMostPerLayer(lookout, 3);
  },

  'a service that never answers: says so after the timeout, and positions age meanwhile': async ({
    operator,
    lookout,
  }) => {
    await lookout.service.breakWith({ kind: 'silent' });
    await positionsStayAndAge(operator);
    await expect(operator.state('Aircraft')).toHaveText(
      new RegExp(`^Aircraft: no timely answer from the service ${SINCE}, ${SHOWING}$`),
    );
    expect(operator.answers.slowestMs(), 'of Lookout’s own answers').toBeLessThan(6000);
    await expectAtMostPerLayer(lookout, 2);
  },

  'an unreadable record: the others are shown, and it is counted': async ({ operator, lookout }) => {
    await lookout.service.breakWith({ kind: 'bad_record', operation: 'live_adsb' });
    await expect(operator.state('Aircraft')).toHaveText(/^Aircraft: up to date, read \d+ s ago · 1 record unreadable$/);
    await expect(operator.state('Drones')).toHaveText(/^Drones: up to date, read \d+ s ago$/);
    expect(await operator.countOf('Aircraft')).toBeGreaterThan(1);
    await lookout.service.mend();
    await expect(operator.state('Aircraft')).toHaveText(/^Aircraft: up to date, read \d+ s ago$/);
  },

  'pages that do not end: at most 50 are read, and the picture is called incomplete': (desk) =>
    hasEndlessPages(desk, 'endless_cursor', 50),

  'a cursor that comes again: no third page is read, and the picture is called incomplete': (desk) =>
    hasEndlessPages(desk, 'repeat_cursor', 2),
};

async function isUnusable({ operator, lookout }: Desk, fault: Fault, reason: string, forS = OUTAGE_S): Promise<void> {
  await lookout.service.breakWith(fault);
  for (const layer of ['Aircraft', 'Drones'] as const) {
    await expect(operator.state(layer)).toHaveText(new RegExp(`^${layer}: ${reason} ${SINCE}, ${SHOWING}$`));
  }
  await positionsStayAndAge(operator, forS);
  await expectAtMostPerLayer(lookout, BACKED_OFF_MAX);
}

async function hasEndlessPages({ operator, lookout }: Desk, kind: string, maxPages: number): Promise<void> {
  await lookout.service.breakWith({ kind, operation: 'live_adsb' });
  await expect(operator.state('Aircraft')).toHaveText(/incomplete: not every page was read/);
  expect(await operator.marksDrawn()).toBeGreaterThan(0);
  const refreshes = pagesByRefresh(await lookout.service.requestsFor('live_adsb'));
  expect(Math.max(...refreshes)).toBeGreaterThan(1);
  expect(Math.max(...refreshes)).toBeLessThanOrEqual(maxPages);
  await lookout.service.mend();
  await expect(operator.state('Aircraft')).not.toHaveText(/incomplete/);
}

test('Failures that pass: each is shown with its reason, positions stay and age meanwhile, and the picture recovers', async ({
  startDesk,
}) => {
  test.slow();
  const desk = await watchingDesk(startDesk);
  for (const [failure, isShown] of Object.entries(passing)) {
    await test.step(failure, async () => {
      await isShown(desk);
      await desk.lookout.service.mend();
      await recovers(desk.operator);
    });
  }

  // Last, since it lasts until the next minute.
  await test.step('429 without Retry-After: pauses until the next minute, says so, and sends no request before it', async () => {
    const { operator, lookout } = desk;
    await lookout.service.breakWith({ kind: 'status', status: 429, retry_after: null });
    await expect(operator.state('Aircraft')).toHaveText(
      /paused by the account’s allowance until \d\d:\d\d:0[12]Z, showing/,
    );
    const until = /until (\S+)Z/.exec((await operator.state('Aircraft').textContent()) ?? '')?.[1] ?? '';
    await positionsStayAndAge(operator);
    const others = (await lookout.service.requests()).slice(2);
    const early = others.filter(({ received_at }) => received_at.slice(11, 19) < until);
    expect(early, 'requests before the minute was over').toEqual([]);
  });
});

function pagesByRefresh(requests: readonly ReceivedRequest[]): readonly number[] {
  const pages: number[] = [];
  for (const { query } of requests) {
    if (query.includes('cursor=') && pages.length > 0) pages.push((pages.pop() ?? 0) + 1);
    else pages.push(1);
  }
  return pages;
}

function writeKey(file: string, key: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, key);
}
