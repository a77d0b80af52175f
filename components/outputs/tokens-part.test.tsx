import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '#testing/eventually.ts';
import { TokensPart } from './tokens-part.tsx';

const token = {
  id: '4a6c2f5e-6f0b-4d7e-9a3e-0a6f0e5b7c11',
  name: 'tar1090',
  scopes: ['aircraft'],
  area: [7, 46, 9, 48],
  altitude_as: null,
  ends_at: null,
  requests_a_minute: 120,
  history_requests_a_day: 0,
  view: null,
  made_at: '2026-11-27T11:00:00.000Z',
  made_by: 'Ada',
  used_at: null,
};
const VIEW = { id: '5b7d3c6f-7a1c-4e8f-8b4f-1b7a1f6c8d22', query: '?view=47,8,9', mine: true, owner: 'root' };
const VIEWS = [
  { ...VIEW, id: token.id, name: 'Own', shared: false },
  { ...VIEW, name: 'Runway', shared: true },
];
const SECRET = `lookout_${'s'.repeat(43)}`;

function showTokens(first: object[] = [], publicOrigin?: string, made: object = {}) {
  let tokens = first;
  const sent: unknown[] = [];
  globalThis.fetch = async (input, { method = 'GET', body } = {}) => {
    const route = `${method} ${new URL(String(input), window.location.href).pathname}`;
    if (route === 'GET /api/admin/read-tokens') return Response.json({ tokens, as_of: '2026-11-27T12:00:00.000Z' });
    if (route === 'GET /api/views') return Response.json({ views: VIEWS, start: null });
    sent.push([route, body === undefined ? undefined : JSON.parse(String(body))]);
    tokens = method === 'DELETE' ? [] : [{ ...token, ...made }];
    return method === 'DELETE'
      ? new Response(null, { status: 204 })
      : Response.json({ token: { ...token, ...made }, secret: SECRET }, { status: 201 });
  };
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TokensPart zone="utc" publicOrigin={publicOrigin} />
    </QueryClientProvider>,
  );
  onTestFinished(cleanup);
  return { screen: within(document.body), user: userEvent.setup({ pointerEventsCheck: 0 }), sent };
}

test('an admin makes a token, sees it once, and revokes it after a question', async () => {
  const { screen, user, sent } = showTokens();
  await screen.findByText('No tokens yet.');
  await user.type(screen.getByLabelText('Name'), 'tar1090');
  await user.type(screen.getByLabelText(/^Area/), '7, 46, 9, 48');
  await user.click(screen.getByRole('radio', { name: '30 days' }));
  await user.click(screen.getByRole('button', { name: 'Create token' }));
  const item = await screen.findByRole('listitem', { name: 'tar1090' });
  expect(screen.getByTestId('shown-once').textContent).toBe(SECRET);
  expect(document.body.textContent).toContain(`/api/feeds/${SECRET}/data/aircraft.json`);
  expect(item.textContent).toContain('aircraft.json, within 7,46,9,48');
  expect(item.textContent).toContain('Not used yet · no end · created ');
  await user.click(screen.getByRole('button', { name: 'Hide the token' }));
  expect(document.body.textContent).not.toContain(SECRET);
  await user.click(screen.getByRole('button', { name: 'Revoke tar1090…' }));
  await user.click(screen.getByRole('button', { name: 'Revoke' }));
  await eventually(() => expect(screen.getByText('tar1090 opens nothing any more.')).toBeDefined());
  expect(sent).toEqual([
    [
      'POST /api/admin/read-tokens',
      {
        name: 'tar1090',
        scopes: ['aircraft'],
        area: [7, 46, 9, 48],
        altitude_as: null,
        ends_at: '2026-12-27T12:00:00.000Z',
        requests_a_minute: 120,
        history_requests_a_day: 0,
        view: null,
      },
    ],
    [`DELETE /api/admin/read-tokens/${token.id}`, undefined],
  ]);
});

test('an admin gives a token several permissions, a rate, and a price for the past', async () => {
  const { screen, user, sent } = showTokens();
  await user.type(await screen.findByLabelText('Name'), 'Inspector');
  for (const name of ['Write permits', 'Read history', 'aircraft.json'])
    await user.click(screen.getByRole('button', { name }));
  expect(screen.queryByText('Altitude in feet')).toBeNull();
  await user.clear(screen.getByLabelText('Uses a minute'));
  await user.type(screen.getByLabelText('Uses a minute'), '30');
  await user.clear(screen.getByLabelText(/^Requests a day for the past/));
  await user.type(screen.getByLabelText(/^Requests a day for the past/), '200');
  await user.click(screen.getByRole('button', { name: 'Create token' }));
  await screen.findByTestId('shown-once');
  expect(sent).toMatchObject([
    [
      'POST /api/admin/read-tokens',
      { scopes: ['write-permits', 'read-history'], requests_a_minute: 30, history_requests_a_day: 200, view: null },
    ],
  ]);
});

test('a wall has a shared view alone, and its address is shown once', async () => {
  const { screen, user, sent } = showTokens([], 'https://lookout.example', { scopes: ['wall'], view: VIEW.id });
  await user.type(await screen.findByLabelText('Name'), 'Tower wall');
  await user.click(screen.getByRole('button', { name: 'Wall' }));
  const view = await screen.findByLabelText('View');
  expect(
    within(view)
      .getAllByRole('option')
      .map(({ textContent }) => textContent),
  ).toEqual(['Runway']);
  expect(screen.queryByLabelText(/^Area/)).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Create token' }));
  expect((await screen.findByTestId('shown-once')).textContent).toBe(`https://lookout.example/wall#${SECRET}`);
  expect(sent).toMatchObject([['POST /api/admin/read-tokens', { scopes: ['wall'], area: null, view: VIEW.id }]]);
  expect(await screen.findByText('Wall, shows “Runway”')).toBeDefined();
});

test.each([
  [undefined, window.location.origin],
  ['https://lookout.example', 'https://lookout.example'],
])('with PUBLIC_URL %s, the address for a program begins with %s', async (publicOrigin, begin) => {
  const { screen, user } = showTokens([], publicOrigin);
  await user.type(await screen.findByLabelText('Name'), 'tar1090');
  await user.click(screen.getByRole('button', { name: 'Create token' }));
  await screen.findByTestId('shown-once');
  expect(document.body.textContent).toContain(`dump1090-exporter: ${begin}/api/feeds/${SECRET}/data/aircraft.json`);
});

test('an area that is no box is refused before it is sent, and an ended token says so', async () => {
  const { screen, user, sent } = showTokens([{ ...token, ends_at: '2026-11-27T11:59:59.000Z' }]);
  const item = await screen.findByRole('listitem', { name: 'tar1090' });
  expect(item.textContent).toContain('Ended 2026-11-27 11:59:59Z');
  await user.type(screen.getByLabelText('Name'), 'x');
  await user.type(screen.getByLabelText(/^Area/), '7,48,9,46');
  await user.click(screen.getByRole('button', { name: 'Create token' }));
  await screen.findByText('bbox north must exceed south.');
  expect(sent).toEqual([]);
});
