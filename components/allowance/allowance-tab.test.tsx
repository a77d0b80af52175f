import { expect, test } from 'vitest';
import type { StatusAnswer } from '#lib/api/status-answer.ts';
import { nextTask } from '#lib/client/browser/page-timers.ts';
import { STATUS_ANSWER, STATUS_AT } from '#lib/client/status/status-answer.fixture.ts';
import { epochMs, formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { showPage } from '#testing/shown-page.tsx';

const at = (seconds: number) => formatInstant(upstreamInstant(Date.now() + seconds * 1000));
const movedToNow = (answer: StatusAnswer): StatusAnswer =>
  JSON.parse(JSON.stringify(answer), (_, value) =>
    typeof value === 'string' && value.startsWith('2026-11-21T12:0')
      ? at((Date.parse(value) - epochMs(STATUS_AT)) / 1000)
      : value,
  );

async function showAllowance(first: Partial<StatusAnswer> = {}) {
  let answer: StatusAnswer | undefined = { ...STATUS_ANSWER, ...first };
  let isChecked = false;
  const checkedOncePerMinute = () => {
    if (!isChecked) {
      isChecked = true;
      return new Response(null, { status: 204 });
    }
    const error = { code: 'too_many_attempts', message: 'Checked too recently.' };
    return Response.json({ error, request_id: '1' }, { status: 429, headers: { 'retry-after': '50' } });
  };
  const page = await showPage({
    answers: {
      'GET /api/status': () =>
        answer ? Response.json(movedToNow(answer)) : Promise.reject(new TypeError('fetch failed')),
      'POST /api/status': checkedOncePerMinute,
      'POST /api/admin/allowance': () => new Response(null, { status: 204 }),
    },
  });
  const { screen, user, requests } = page;
  page.receives([]);
  return {
    ...page,
    reports: (differing: Partial<StatusAnswer>) => {
      answer = { ...STATUS_ANSWER, ...differing };
    },
    isGone: () => {
      answer = undefined;
    },
    opens: () => user.click(screen.getByRole('tab', { name: 'Allowance' })),
    closes: () => user.click(screen.getByRole('tab', { name: 'Tracks' })),
    looksAgain: () => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })),
    left: (window: 'minute' | 'day') => screen.getByTestId(`allowance-${window}-left`).textContent,
    problems: () => screen.queryByRole('list', { name: 'Access problems' })?.textContent ?? '',
    count: (route: string) => requests.filter((request) => request === route).length,
  };
}

test('shows what the service counted, and requests nothing while it is closed', async () => {
  const { screen, opens, closes, left, count, looksAgain } = await showAllowance();
  expect(count('GET /api/status')).toBe(0);
  await opens();
  await screen.findByTestId('allowance-minute-left');
  expect(left('minute')).toBe('52 of 60 left');
  expect(left('day')).toBe('8\u202f214 of 10\u202f000 left');
  expect(screen.getByTestId('allowance-spent').textContent).toBe('1\u202f786 requests');
  const area = screen.getByTestId('area-adsb').textContent;
  expect(area).toContain('3 viewers · 2 requests per refresh · every 5 s');
  expect(area).toMatch(/read \d+ s ago · not yet due: in \d+ s/);
  await closes();
  const whenClosed = count('GET /api/status');
  looksAgain();
  await nextTask();
  expect(count('GET /api/status')).toBe(whenClosed);
});

test('a pause that the service asked for is shown with its end, and disappears with it', async () => {
  const { opens, problems, reports, looksAgain } = await showAllowance({ paused_until: at(8) });
  await opens();
  await expect.poll(problems).toMatch(/until \d\d:\d\d:\d\dZ/);
  reports({});
  looksAgain();
  await expect.poll(problems).toBe('');
});

test('a denied layer is checked again when the operator asks for it, and not twice in a minute', async () => {
  const denied = {
    state: 'denied',
    reason: 'layer_not_approved',
    since: at(-60),
    until: at(3600),
    reception: null,
  } as const;
  const { screen, user, opens, count } = await showAllowance({ layers: { ...STATUS_ANSWER.layers, rid: denied } });
  await opens();
  const again = await screen.findByRole('button', { name: /check again now/i });
  await user.click(again);
  await expect.poll(() => screen.getByTestId('recheck-rid').textContent).toMatch(/^Check requested at/);
  await user.click(again);
  await expect.poll(() => screen.getByTestId('recheck-rid').textContent).toMatch(/again at \d\d:\d\d:\d\dZ/);
  await user.click(again);
  expect(count('POST /api/status'), 'the button is blocked until then').toBe(2);
});

test('a used-up day is a problem that an admin can have checked', async () => {
  const { screen, user, opens, problems, count, reports, looksAgain } = await showAllowance({
    used_up_until: '2026-11-22T00:00:00Z',
  });
  await opens();
  await expect.poll(problems).toContain('today’s allowance is used up');
  await user.click(screen.getByRole('button', { name: /check again now ?: all layers/i }));
  expect(count('POST /api/admin/allowance')).toBe(1);
  reports({});
  looksAgain();
  await expect.poll(problems).toBe('');
});

test('when Lookout’s own server is gone the numbers stay, and are called old', async () => {
  const { screen, opens, left, isGone, looksAgain } = await showAllowance();
  await opens();
  await screen.findByTestId('allowance-day-left');
  isGone();
  looksAgain();
  await expect
    .poll(() => screen.queryByTestId('status-failure')?.textContent)
    .toContain('The last report is shown below.');
  expect(left('day')).toMatch(/left$/);
});
