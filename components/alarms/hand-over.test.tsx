import { expect, test } from 'vitest';
import type { HandOverNote } from '#lib/api/watching/hand-over.ts';
import type { Incident } from '#lib/api/watching/incidents.ts';
import type { PricedZone } from '#lib/api/watching/zones.ts';
import { alarmOf } from '#lib/client/alarms/alarm.fixture.ts';
import { incidentOf } from '#lib/client/incidents/incident.fixture.ts';
import { pricedZone, zoneOf } from '#lib/client/zones/zone.fixture.ts';
import { type PageSetting, showPage } from '#testing/shown-page.tsx';

const AL = { id: 'al', name: 'al', role: 'operator' } as const;
const ID = '00000000-0000-4000-8000-00000000000';
const note = (number: number, change: Partial<HandOverNote> = {}): HandOverNote => ({
  id: `${ID}${number}`,
  note: `Note ${number}`,
  by: 'bea',
  at: '2026-11-27T05:58:00Z',
  mine: false,
  read: false,
  readers: [],
  ...change,
});
const zone = (number: number, watched: PricedZone['watched']) =>
  pricedZone(zoneOf(number, { name: `Zone ${number}` }), watched);
const SINCE = '2026-11-27T05:00:00Z';

function showHandOver(
  notes: HandOverNote[],
  operator: PageSetting['operator'] | null = AL,
  incidents: Incident[] = [],
) {
  const sent: unknown[] = [];
  const zones = [
    zone(0, { state: 'watched', since: SINCE, reason: null }),
    zone(1, { state: 'not_watched', since: SINCE, reason: 'upstream' }),
  ];
  // The first answer is of three requests; later ones wait.
  let answers = 0;
  return showPage({
    ...(operator && { operator }),
    answers: {
      'GET /api/incidents': () => Response.json({ incidents }),
      'GET /api/zones': () => Response.json({ zones, unshared: false }),
      'GET /api/alarms': () => {
        answers += 1;
        if (answers > 3) return new Promise(() => undefined);
        return Response.json({ alarms: [alarmOf(1)], next: '1' });
      },
      'GET /api/hand-over': () => Response.json({ notes, cut: false }),
      'PUT /api/hand-over/read': (body) => {
        sent.push(body);
        const { note: id } = body as { note: string };
        for (const each of notes) if (each.id === id) Object.assign(each, { read: true });
        return new Response(null, { status: 204 });
      },
      'POST /api/hand-over': (body) => {
        sent.push(body);
        notes.unshift(note(9, { note: (body as { note: string }).note, mine: true, read: operator !== null }));
        return Response.json({ id: `${ID}9` }, { status: 201 });
      },
    },
  }).then((page) => ({
    ...page,
    sent,
    dialog: () => page.screen.queryByTestId('hand-over-dialog'),
    clicks: (name: string | RegExp) => page.user.click(page.screen.getByRole('button', { name })),
  }));
}

test('unread notes are shown when the page is opened, below open alarms and zones that are not watched, until they are read', async () => {
  const { screen, dialog, clicks, sent, user } = await showHandOver([note(1), note(2), note(3, { read: true })]);
  await expect.poll(dialog).not.toBeNull();
  await expect
    .poll(() => dialog()?.textContent)
    .toMatch(/1 open alarm.*Runway 14\/32.*1 of 2 zones not watched.*Zone 1 · Not watched since.*Note 1.*Note 2/);
  expect(dialog()?.textContent).not.toContain('Note 3');
  await clicks('Mark all as read');
  await expect.poll(dialog).toBeNull();
  expect(sent).toEqual([{ note: `${ID}1` }, { note: `${ID}2` }]);
  await user.click(screen.getByRole('tab', { name: 'Zones' }));
  await user.click(await screen.findByRole('radio', { name: 'Hand-over' }));
  expect((await screen.findAllByTestId('hand-over-note')).map(({ dataset }) => dataset.unread)).toEqual([
    'false',
    'false',
    'false',
  ]);
});

test('a note that is closed stays unread, and is counted where it is found again', async () => {
  const { screen, dialog, clicks, sent, user } = await showHandOver([note(1)]);
  await expect.poll(dialog).not.toBeNull();
  await clicks(/^Close/);
  expect(dialog()).toBeNull();
  await user.click(screen.getByRole('tab', { name: 'Zones' }));
  await user.click(await screen.findByRole('radio', { name: 'Hand-over · 1' }));
  await clicks('Mark as read');
  await screen.findByRole('radio', { name: 'Hand-over' });
  expect(sent).toEqual([{ note: `${ID}1` }]);
});

test('an operator leaves a note, whose text outlives the panel until it is stored', async () => {
  const { screen, dialog, clicks, sent, user } = await showHandOver([]);
  await user.click(screen.getByRole('tab', { name: 'Zones' }));
  await user.click(await screen.findByRole('radio', { name: 'Hand-over' }));
  await user.type(await screen.findByLabelText('Note for the next shift'), 'Crane until noon');
  await user.click(screen.getByRole('radio', { name: /^Zones/ }));
  await user.click(screen.getByRole('radio', { name: 'Hand-over' }));
  expect(screen.getByLabelText('Note for the next shift')).toHaveProperty('value', 'Crane until noon');
  await clicks('Leave note');
  await screen.findByText('Kept for the next shift.');
  expect(sent).toEqual([{ note: 'Crane until noon' }]);
  expect((await screen.findByTestId('hand-over-note')).dataset.unread).toBe('false');
  expect(dialog()).toBeNull();
});

test('without sign-in, each browser keeps what was read in it', async () => {
  const { dialog, clicks, sent, lookout } = await showHandOver([note(1, { by: '' })], null);
  await expect.poll(dialog).not.toBeNull();
  await clicks('Mark as read');
  await expect.poll(dialog).toBeNull();
  expect(sent).toEqual([]);
  expect(lookout.preferences.get().handOverRead).toEqual([`${ID}1`]);
});

test('a viewer reads notes, and is offered none to write', async () => {
  const { screen, user } = await showHandOver([note(1, { read: true })], { id: 'wall', name: 'wall', role: 'viewer' });
  await user.click(screen.getByRole('tab', { name: 'Zones' }));
  await user.click(await screen.findByRole('radio', { name: 'Hand-over' }));
  await screen.findByText('Note 1');
  expect(screen.queryByLabelText('Note for the next shift')).toBeNull();
});

test('open incidents stand above the notes, in the dialog and on the page, with the way to them', async () => {
  const incidents = [incidentOf(14), incidentOf(13, { state: 'closed' })];
  const { dialog, clicks, screen, user } = await showHandOver([note(1)], AL, incidents);
  await expect
    .poll(() => dialog()?.textContent)
    .toMatch(
      /1 open alarm.*1 open incident2026-014 · Drone near 14since 2026-11-27 12:00:00Z · opened by bea · 2 notes.*Note 1/,
    );
  expect(dialog()?.textContent).not.toContain('2026-013');
  await clicks(/^Close/);
  await user.click(screen.getByRole('tab', { name: 'Zones' }));
  await user.click(await screen.findByRole('radio', { name: 'Hand-over · 1' }));
  const link = await screen.findByRole('link', { name: '2026-014 · Drone near 14' });
  expect(link.getAttribute('href')).toBe(`/incidents/${incidentOf(14).id}`);
});
