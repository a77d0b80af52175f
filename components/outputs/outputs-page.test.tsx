import { cleanup, render, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '#testing/eventually.ts';
import { pageViewerOf } from '#testing/page-at-lookout.ts';
import { OutputsPage } from './outputs-page.tsx';

const token = {
  id: '4a6c2f5e-6f0b-4d7e-9a3e-0a6f0e5b7c11',
  name: 'tar1090',
  scopes: ['aircraft'],
  area: [7, 46, 9, 48],
  altitude_as: null,
  ends_at: null,
  made_at: '2026-11-27T11:00:00.000Z',
  made_by: 'Ada',
  used_at: null,
};
const SECRET = `lookout_${'s'.repeat(43)}`;

function showOutputs(first: object[] = [], publicOrigin?: string) {
  let tokens = first;
  const sent: unknown[] = [];
  globalThis.fetch = async (input, { method = 'GET', body } = {}) => {
    const route = `${method} ${new URL(String(input), window.location.href).pathname}`;
    // Its request waits for a change.
    if (route === 'GET /api/alarms') return new Promise(() => undefined);
    if (route === 'GET /api/admin/read-tokens') return Response.json({ tokens, as_of: '2026-11-27T12:00:00.000Z' });
    if (route === 'GET /api/incidents') return Response.json({ incidents: [] });
    if (method === 'GET') return Response.json({ destinations: [], zones: [], as_of: '2026-11-27T12:00:00.000Z' });
    sent.push([route, body === undefined ? undefined : JSON.parse(String(body))]);
    tokens = method === 'DELETE' ? [] : [token];
    return method === 'DELETE'
      ? new Response(null, { status: 204 })
      : Response.json({ token, secret: SECRET }, { status: 201 });
  };
  render(<OutputsPage viewer={pageViewerOf('root')} publicOrigin={publicOrigin} />);
  onTestFinished(cleanup);
  return { screen: within(document.body), user: userEvent.setup({ pointerEventsCheck: 0 }), sent };
}

test('an admin makes a token, sees it once, and revokes it after a question', async () => {
  const { screen, user, sent } = showOutputs();
  await screen.findByText('No tokens yet.');
  await user.type(screen.getByLabelText('Name'), 'tar1090');
  await user.type(screen.getByLabelText(/^Area/), '7, 46, 9, 48');
  await user.click(screen.getByRole('radio', { name: '30 days' }));
  await user.click(screen.getByRole('button', { name: 'Create token' }));
  const item = await screen.findByRole('listitem', { name: 'tar1090' });
  expect(screen.getByTestId('read-token').textContent).toBe(SECRET);
  expect(document.body.textContent).toContain(`/api/feeds/${SECRET}/data/aircraft.json`);
  expect(item.textContent).toContain('aircraft.json, within 7,46,9,48');
  expect(item.textContent).toContain('Not used yet · no end · created ');
  await user.click(screen.getByRole('button', { name: 'Hide the token' }));
  expect(document.body.textContent).not.toContain(SECRET);
  await user.click(screen.getByRole('button', { name: 'Revoke tar1090…' }));
  await user.click(screen.getByRole('button', { name: 'Revoke tar1090' }));
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
      },
    ],
    [`DELETE /api/admin/read-tokens/${token.id}`, undefined],
  ]);
});

test.each([
  [undefined, window.location.origin],
  ['https://lookout.example', 'https://lookout.example'],
])('with PUBLIC_URL %s, the address for a program begins with %s', async (publicOrigin, begin) => {
  const { screen, user } = showOutputs([], publicOrigin);
  await user.type(await screen.findByLabelText('Name'), 'tar1090');
  await user.click(screen.getByRole('button', { name: 'Create token' }));
  await screen.findByTestId('read-token');
  expect(document.body.textContent).toContain(`dump1090-exporter: ${begin}/api/feeds/${SECRET}/data/aircraft.json`);
});

test('an area that is no box is refused before it is sent, and an ended token says so', async () => {
  const { screen, user, sent } = showOutputs([{ ...token, ends_at: '2026-11-27T11:59:59.000Z' }]);
  const item = await screen.findByRole('listitem', { name: 'tar1090' });
  expect(item.textContent).toContain('Ended 2026-11-27 11:59:59Z');
  await user.type(screen.getByLabelText('Name'), 'x');
  await user.type(screen.getByLabelText(/^Area/), '7,48,9,46');
  await user.click(screen.getByRole('button', { name: 'Create token' }));
  await screen.findByText('bbox north must exceed south');
  expect(sent).toEqual([]);
});
