import { expect, test } from 'vitest';
import { alarmOf } from '#lib/client/alarms/alarm.fixture.ts';
import { showPage } from '#testing/shown-page.tsx';

test('the log goes through what happened while an operator was away, and keeps up to where it was seen', async () => {
  const seen: unknown[] = [];
  const { screen, user } = await showPage({
    answers: {
      'GET /api/zones': () => Response.json({ zones: [] }),
      'GET /api/alarms': () => Response.json({ alarms: [alarmOf(1), alarmOf(2)], next: '2' }),
      'GET /api/alarms/seen': () => Response.json({ until: '2026-11-27T09:00:00Z' }),
      'PUT /api/alarms/seen': (body) => {
        seen.push(body);
        return new Response(null, { status: 204 });
      },
      'GET /api/zones/unwatched': () =>
        Response.json({
          zones: 1,
          since: '2026-11-27T09:00:00Z',
          lost: [{ layer: 'adsb', from: '2026-11-27T12:10:00Z', to: '2026-11-27T12:20:00Z', reason: 'upstream' }],
          unwatched: [
            {
              zone: { id: alarmOf(1).zone.id, name: 'Gate' },
              from: '2026-11-27T12:30:00Z',
              to: '2026-11-27T12:40:00Z',
              state: 'partly',
              reason: 'allowance',
            },
          ],
        }),
    },
  });
  await user.click(screen.getByRole('tab', { name: 'Zones' }));
  await user.click(await screen.findByRole('radio', { name: 'Log' }));
  const list = await screen.findByRole('list', { name: /^What happened/ });
  await expect.poll(() => list.children.length).toBe(4);
  expect(list.firstElementChild?.textContent).toBe(
    'Gate partly watched from 2026-11-27 12:30:00Z to 12:40:00Z: the allowance does not suffice',
  );
  (list.children[0] as HTMLElement).focus();
  await user.keyboard('j');
  expect(document.activeElement?.textContent).toBe(
    'Aircraft: not read for any zone from 2026-11-27 12:10:00Z to 12:20:00Z (the service does not answer)',
  );
  await user.keyboard('j');
  expect(document.activeElement).toBe(list.children[2]);
  await user.keyboard('k');
  expect(document.activeElement).toBe(list.children[1]);
  await user.click(screen.getByRole('button', { name: 'Mark all as seen' }));
  await expect.poll(() => seen.length).toBe(1);
});

test('the log and the shift report say that nothing records lost layers without a zone', async () => {
  const { screen, user } = await showPage({
    answers: {
      'GET /api/zones': () => Response.json({ zones: [] }),
      'GET /api/alarms': () => Response.json({ alarms: [], next: '0' }),
      'GET /api/alarms/seen': () => Response.json({ until: null }),
      'GET /api/alarms/presence': () => Response.json({ operators: null, cut: false }),
      'GET /api/permits': () => Response.json({ permits: [], cut: false }),
      'GET /api/incidents': () => Response.json({ incidents: [] }),
      'GET /api/hand-over': () => Response.json({ notes: [], cut: false }),
      'GET /api/zones/unwatched': () =>
        Response.json({ zones: 0, since: '2026-11-27T09:00:00Z', lost: [], unwatched: [] }),
    },
  });
  await user.click(screen.getByRole('tab', { name: 'Zones' }));
  await user.click(await screen.findByRole('radio', { name: 'Log' }));
  const text = /Without a zone, Lookout does not record whether a layer was read/;
  await screen.findByText(text);
  await user.click(screen.getByRole('button', { name: 'Shift report' }));
  const [report] = await screen.findAllByTestId('shift-report');
  expect(report?.textContent).toMatch(text);
  expect(report?.textContent).toContain('Without sign-in, operators have no names');
  expect(report?.textContent).toContain('No permit was valid in this span.');
  expect(report?.textContent).toContain('No hand-over note was left in this span.');
  expect(report?.textContent).toContain('No incident was open in this span.');
});
