import { expect, test } from 'vitest';
import { STATUS_ANSWER } from '#lib/client/status/status-answer.fixture.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type Past, PRICE } from '#testing/past-answers.ts';
import { recordsNow, showPage } from '#testing/shown-page.tsx';

const END_MS = Math.floor(Date.now() / MINUTE_MS - 2) * MINUTE_MS;
const START_MS = END_MS - 10 * MINUTE_MS;
const LOADED_MS = START_MS + 5 * MINUTE_MS;
const iso = (ms: number) => new Date(ms).toISOString();
const addressTime = (ms: number) => iso(ms).replace('.000Z', 'Z');

const VIEWER = { id: 'wall', name: 'wall', role: 'viewer' } as const;
const WHY = 'Shows what others have loaded. Ask an operator to load the rest.';
const records = recordsNow([{ observed_at: iso(LOADED_MS + MINUTE_MS) }]);
/** The price that the server quotes to a viewer. */
const PRICE_OF_VIEWER = { ...PRICE, known: false, max_requests: 0 };
const HALF_LOADED = {
  records,
  cost: { middle: PRICE_OF_VIEWER, has_allowance: true },
  minutes: 'nnnnnccccc',
  gaps: [{ bbox: [7, 46, 10, 48], start: iso(START_MS), end: iso(LOADED_MS), reason: 'not_requested' }],
} satisfies Past;

test('a viewer who opens a link to a replay sees the loaded part, and why the rest is missing, without a button that would fail', async () => {
  const address = `?layers=adsb&from=${addressTime(START_MS)}&to=${addressTime(END_MS)}`;
  const { screen, user, loads } = await showPage({ address, operator: VIEWER, past: HALF_LOADED });
  const loading = () => screen.queryByTestId('replay-loading')?.textContent ?? '';
  await expect.poll(loading).toBe('5 min of aircraft missing. Ask an operator to load this.');
  expect(loads.map((query) => query.get('max_requests'))).toEqual(['0']);
  expect(screen.queryByRole('button', { name: /^Load/ })).toBeNull();
  expect(screen.getByTestId('lane-adsb').dataset.observations).toBe('1');
  const bands = document.querySelectorAll<HTMLElement>('[data-testid="lane-adsb"] .band:not([data-lead-in])');
  expect([...bands].map(({ dataset }) => dataset.state)).toEqual(['not-requested', 'complete']);

  // An operator may have loaded the rest.
  await user.click(screen.getByRole('button', { name: 'Refresh' }));
  await expect.poll(() => loads.length).toBe(2);
  expect(loads[1]?.get('max_requests')).toBe('0');
  await screen.findByRole('button', { name: 'Refresh' });
});

test('controls that would spend a viewer’s requests say in advance that they do not', async () => {
  const { screen, user } = await showPage({ operator: VIEWER, past: HALF_LOADED });
  await user.click(screen.getByRole('tab', { name: 'View' }));
  expect((await screen.findByTestId('last-hour-price')).textContent).toBe(WHY);
  expect(screen.queryByRole('radiogroup', { name: 'Replays load by themselves' })).toBeNull();
  await user.click(screen.getByRole('button', { name: /^Replay the last hour of/ }));
  await expect
    .poll(() => screen.queryByTestId('replay-loading')?.textContent)
    .toContain('Ask an operator to load this.');
  await user.click(screen.getByTestId('replay-window'));
  const dialog = () => screen.queryByRole('dialog', { name: 'Window of the replay' })?.textContent;
  await expect.poll(dialog).toContain(WHY);
});

test('a viewer loads a replay as an operator does where it uses up no allowance', async () => {
  const address = `?layers=adsb&from=${addressTime(START_MS)}&to=${addressTime(END_MS)}`;
  const { screen, user, loads } = await showPage({ address, operator: VIEWER, hasAllowance: false, past: { records } });
  await expect.poll(() => screen.queryByTestId('replay-loading')?.textContent).toMatch(/^Complete/);
  expect(loads.map((query) => query.get('max_requests'))).toEqual(['6']);
  expect(document.body.textContent).not.toContain('Ask an operator');
  await user.click(screen.getByRole('tab', { name: 'View' }));
  expect(await screen.findByRole('radiogroup', { name: 'Replays load by themselves' })).toBeDefined();
});

test('a viewer may not have a layer without access checked sooner, and reads so', async () => {
  const rid = {
    ...STATUS_ANSWER.layers.rid,
    state: 'denied',
    reason: 'layer_not_approved',
    since: STATUS_ANSWER.as_of,
  };
  const answer = { ...STATUS_ANSWER, layers: { ...STATUS_ANSWER.layers, rid } };
  const { screen, user } = await showPage({
    operator: VIEWER,
    answers: { 'GET /api/status': () => Response.json(answer) },
  });
  await user.click(screen.getByRole('tab', { name: 'Allowance' }));
  const problems = await screen.findByRole('list', { name: 'Access problems' });
  expect(problems.textContent).toContain('It is checked again by itself. Your role may not have it checked sooner.');
  expect(screen.queryByRole('button', { name: /^Check again now/ })).toBeNull();
});
