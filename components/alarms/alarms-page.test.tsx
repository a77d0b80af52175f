import { focusManager } from '@tanstack/react-query';
import { within } from '@testing-library/react';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { NoticeDelivery } from '#lib/api/outputs/destinations.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { alarmOf } from '#lib/client/alarms/alarm.fixture.ts';
import { pricedZone, zoneOf } from '#lib/client/zones/zone.fixture.ts';
import { showPage } from '#testing/shown-page.tsx';

/** `changes` answers the request that waits. */
async function showAlarms(
  alarms: Alarm[],
  refuses: boolean | Response = false,
  zones = () => Response.json({ zones: [] }),
  answers: Readonly<Record<string, (body: unknown) => Response>> = {},
) {
  const sent: unknown[] = [];
  let number = 0;
  let pending: Alarm[] = [];
  let wake: (() => void) | undefined;
  const post = (body: unknown) => {
    sent.push(body);
    if (refuses instanceof Response) return refuses.clone();
    const error = { code: 'not_permitted', message: 'This takes the role operator.' };
    return refuses ? Response.json({ error, request_id: 'a' }, { status: 403 }) : Response.json(alarms[0]);
  };
  const page = await showPage({
    answers: {
      'GET /api/zones': zones,
      'GET /api/alarms': async () => {
        // The first three don't wait.
        if (number < 3) pending = alarms;
        else if (pending.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        const changed = pending;
        pending = [];
        return Response.json({ alarms: changed, next: String(++number) });
      },
      ...Object.fromEntries(
        alarms.flatMap(({ id }) => [
          [`POST /api/alarms/${id}/acknowledge`, post],
          [`POST /api/alarms/${id}/close`, post],
        ]),
      ),
      ...answers,
    },
  });
  const { screen, user } = page;
  await user.keyboard('w');
  await screen.findByLabelText('Show');
  return {
    ...page,
    sent,
    rows: () => screen.queryAllByTestId('alarm'),
    clicks: (name: string | RegExp) => user.click(screen.getByRole('button', { name })),
    /** Opens the details of the first alarm, with all that may be done about it. */
    unfolds: async () => {
      const row = (await screen.findAllByTestId('alarm'))[0] as HTMLElement;
      await user.click(within(row).getByRole('button', { expanded: false }));
    },
    changes: (changed: Alarm[]) => {
      pending = changed;
      wake?.();
    },
  };
}

const acknowledged = { by: 'bea', at: '2026-11-27T12:01:00Z', until: null, comment: 'survey' };

test('the bar counts new alarms, and W shows them; without one it is no all-clear', async () => {
  const { screen, rows, changes } = await showAlarms([alarmOf(1, { simulated: true })]);
  await expect.poll(() => rows().length).toBe(1);
  const chip = await screen.findByTestId('chip-alarms');
  expect(chip.getAttribute('aria-label')).toBe('1 new alarm · SIM Drone in Runway 14/32');
  expect(chip.textContent).toBe('1 new · SIM Drone in Runway 14/32');
  changes([alarmOf(1, { state: 'ended', ended: 'left', ended_at: '2026-11-27T12:03:00Z', acknowledged })]);
  await expect.poll(() => chip.getAttribute('aria-label')).toMatch(/^No new alarm/);
  expect(screen.queryByTestId('no-alarms') ?? screen.getByTestId('no-zones')).toBeTruthy();
});

test('says that there is no zone only once the zones are read', async () => {
  const read = await showAlarms([]);
  expect((await read.screen.findByTestId('no-zones')).textContent).toMatch(/^No zones yet/);
  read.closes();
  const unread = await showAlarms([], false, () => new Response(null, { status: 503 }));
  expect((await unread.screen.findByTestId('no-alarms')).textContent).toBe('No open alarm from received positions.');
});

test('alarms of a zone that becomes visible appear, and those of one that is hidden go', async () => {
  onTestFinished(() => focusManager.setFocused(undefined));
  const priced = pricedZone(zoneOf(1, { revision: 2 }));
  let isVisible = false;
  let reads = 0;
  const { screen, user } = await showPage({
    answers: {
      'GET /api/zones': () => Response.json({ zones: isVisible ? [priced] : [], unshared: !isVisible }),
      // Three at once, of which the page then waits for a change.
      'GET /api/alarms': () => {
        reads += 1;
        if (reads % 4 === 0) return new Promise(() => undefined);
        return Response.json({ alarms: isVisible ? [alarmOf(1)] : [], next: String(reads) });
      },
    },
  });
  const readsZones = (seen: boolean) => {
    isVisible = seen;
    focusManager.setFocused(false);
    focusManager.setFocused(true);
  };
  await user.keyboard('w');
  await screen.findByText('No zone is shared with you.');
  await expect.poll(() => reads).toBe(4);
  readsZones(true);
  await expect.poll(() => screen.queryAllByTestId('alarm').length).toBe(1);
  await expect.poll(() => reads).toBe(8);
  readsZones(false);
  await expect.poll(() => screen.queryAllByTestId('alarm').length).toBe(0);
});

test('a new alarm is called once, a flood in one sentence; those of before are not', async () => {
  const { screen, rows, changes } = await showAlarms([alarmOf(1)]);
  await expect.poll(() => rows().length).toBe(1);
  expect(screen.getByTestId('alarm-call').textContent).toBe('');
  changes(Array.from({ length: 47 }, (_, index) => alarmOf(index + 2)));
  await expect
    .poll(() => screen.getByTestId('alarm-call').textContent)
    .toMatch(/^Drone 00048 in Runway 14\/32\. And 46 more in Runway 14\/32\.$/);
  expect(rows()).toHaveLength(5);
  expect(screen.getByText('43 more new alarms in Runway 14/32')).toBeTruthy();
});

test('a browser that refuses to make notifications still calls alarms, and says so when they are switched on', async () => {
  // Chrome on Android grants the permission, and throws here.
  const refusing = class {
    static readonly permission = 'granted';
    constructor() {
      throw new TypeError('Illegal constructor');
    }
  };
  vi.stubGlobal('Notification', refusing);
  vi.stubGlobal('isSecureContext', true);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { screen, user, lookout, rows, changes } = await showAlarms([alarmOf(1)]);
  await expect.poll(() => rows().length).toBe(1);
  lookout.preferences.change({ alarmNotices: true });
  changes([alarmOf(1), alarmOf(2)]);
  await expect.poll(() => screen.getByTestId('alarm-call').textContent).toMatch(/^Drone 00002 in Runway/);
  expect(rows()).toHaveLength(2);

  lookout.preferences.change({ alarmNotices: false });
  const wanted = screen.getByRole('switch', { name: /^Browser notification/ });
  await user.click(wanted);
  await screen.findByText(/This browser shows no notifications of pages/);
  expect(wanted.getAttribute('aria-checked')).toBe('false');
});

test('acknowledges with one press, and until a time with a comment', async () => {
  const { screen, user, rows, sent, changes, unfolds, clicks } = await showAlarms([alarmOf(1)]);
  await expect.poll(() => rows().length).toBe(1);
  await clicks(/^Acknowledge/);
  await expect.poll(() => sent).toEqual([{ revision: 0, until: null, comment: '' }]);
  await unfolds();
  await clicks('Acknowledge with a comment');
  await user.click(screen.getByRole('radio', { name: '1 h' }));
  await user.type(screen.getByLabelText('Comment'), 'known survey drone{Enter}');
  await expect.poll(() => sent[1]).toMatchObject({ until: expect.stringMatching(/Z$/), comment: 'known survey drone' });
  changes([alarmOf(1, { acknowledged })]);
  await expect.poll(() => rows()[0]?.dataset.stage).toBe('acknowledged');
  expect(rows()[0]?.textContent).toContain('Acknowledged by bea at 12:01:00Z, until the alarm ends: “survey”');
});

test('A goes to the first new alarm, acknowledges it when pressed again, and goes to the next', async () => {
  const { screen, user, rows, sent, changes } = await showAlarms([alarmOf(2), alarmOf(1)]);
  await expect.poll(() => rows().length).toBe(2);
  const focused = () => document.activeElement?.closest<HTMLElement>('[data-alarm]')?.dataset.alarm;
  await user.keyboard('a');
  await expect.poll(focused).toBe(alarmOf(2).id);
  expect(sent).toEqual([]);
  // An alarm that appears above is not acknowledged unseen.
  changes([alarmOf(3)]);
  await expect.poll(() => rows().length).toBe(3);
  await user.keyboard('a');
  await expect.poll(() => sent.length).toBe(1);
  await expect.poll(focused).toBe(alarmOf(1).id);
  expect(screen.getByTestId('chip-alarms').dataset.new).toBe('3');
});

test('lists as many alarms as the bell counts, and both of one craft before they are acknowledged', async () => {
  const alarms = [alarmOf(4, { perhaps_same_as: alarmOf(1).id }), alarmOf(3), alarmOf(2), alarmOf(1)];
  const bodies: unknown[] = [];
  const { screen, rows, clicks } = await showAlarms(alarms, false, undefined, {
    'POST /api/alarms/acknowledge': (body) => {
      bodies.push(body);
      return Response.json({ answers: [] });
    },
  });
  await expect.poll(() => rows().length).toBe(4);
  expect((await screen.findByTestId('chip-alarms')).dataset.new).toBe('4');
  const group = screen.getByText('2 alarms, perhaps one drone').closest('[data-testid="alarm-group"]') as HTMLElement;
  expect(
    within(group)
      .getAllByTestId('alarm')
      .map((row) => row.dataset.alarm),
  ).toEqual([alarmOf(4).id, alarmOf(1).id]);
  await clicks(/^Acknowledge both/);
  await expect
    .poll(() => bodies)
    .toMatchObject([{ alarms: [alarmOf(4), alarmOf(1)].map(({ id }) => ({ id, revision: 0 })) }]);
});

test('says how many new alarms a choice of zones leaves out', async () => {
  const gate = { id: '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7a99', name: 'Gate', revision: 1 };
  const priced = [alarmOf(1).zone, gate].map(({ id, name }) => pricedZone(zoneOf(1, { id, name })));
  const { screen, user, rows, clicks } = await showAlarms([alarmOf(2, { zone: gate }), alarmOf(1)], false, () =>
    Response.json({ zones: priced }),
  );
  await expect.poll(() => rows().length).toBe(2);
  await user.selectOptions(screen.getByLabelText('Zone'), 'Gate');
  expect(rows()).toHaveLength(1);
  screen.getByText('1 new alarm is not shown here.');
  await clicks('Show all');
  expect(rows()).toHaveLength(2);
});

test('closes several alarms by one request, and only those that are not closed', async () => {
  const closed = { by: 'bea', at: '2026-11-27T12:04:00Z', as: 'handled', comment: '' } as const;
  const bodies: unknown[] = [];
  const { screen, user, rows, clicks } = await showAlarms(
    [alarmOf(3, { closed }), alarmOf(2), alarmOf(1)],
    false,
    undefined,
    {
      'POST /api/alarms/close': (body) => {
        bodies.push(body);
        return Response.json({ answers: [] });
      },
    },
  );
  await user.selectOptions(screen.getByLabelText('Show'), 'Last 24 h');
  await expect.poll(() => rows().length).toBe(3);
  await clicks('Select');
  await user.click(screen.getByRole('checkbox', { name: /^Select Drone 00001/ }));
  screen.getByText('1 selected');
  await user.click(screen.getByRole('checkbox', { name: 'All 3' }));
  screen.getByRole('button', { name: 'Acknowledge 2' });
  await clicks('Close 2');
  await user.click(screen.getByRole('radio', { name: 'Nuisance' }));
  await user.type(screen.getByLabelText('Comment'), 'birds{Enter}');
  await expect
    .poll(() => bodies)
    .toEqual([
      {
        as: 'nuisance',
        comment: 'birds',
        alarms: [2, 1].map((number) => ({ id: alarmOf(number).id, revision: 0 })),
      },
    ]);
  await expect.poll(() => screen.queryByText(/selected$/)).toBeNull();
});

test('a flood is acknowledged by one request, and says which alarms others answered before', async () => {
  const alarms = Array.from({ length: 47 }, (_, index) => alarmOf(index + 1));
  const bodies: { alarms: { id: string; revision: number }[] }[] = [];
  const faster = 'Closed as nuisance by op2 at 12:04:31Z: “a bird”.';
  const { screen, user, clicks, changes } = await showAlarms(alarms, false, undefined, {
    'POST /api/alarms/acknowledge': (body) => {
      const sent = body as (typeof bodies)[number];
      bodies.push(sent);
      const [first] = sent.alarms;
      return Response.json({
        answers: sent.alarms.map(({ id }) => ({
          id,
          refusal: bodies.length === 1 && id === first?.id ? { code: 'revision_conflict', message: faster } : null,
        })),
      });
    },
  });
  await screen.findByText('42 more new alarms in Runway 14/32');
  await clicks('Acknowledge these 42');
  await user.type(screen.getByLabelText('Comment'), 'air show{Enter}');
  await screen.findByText(`41 of 42 were acknowledged. Not the others: ${faster}`);
  expect(bodies).toHaveLength(1);
  expect(bodies[0]).toMatchObject({ until: null, comment: 'air show' });
  const shown = new Set(bodies[0]?.alarms.map(({ id }) => id));
  expect(shown.size).toBe(42);
  expect(screen.getByLabelText('Comment')).toHaveProperty('value', 'air show');
  changes(alarms.map((alarm) => (shown.has(alarm.id) ? { ...alarm, acknowledged } : alarm)));
  await expect.poll(() => screen.queryByText(/more new alarms in Runway/)).toBeNull();
});

test('an alarm that is read stays listed after its end, until it is closed', async () => {
  const { screen, user, rows, changes } = await showAlarms([alarmOf(1)]);
  await expect.poll(() => rows().length).toBe(1);
  await user.click(screen.getByRole('button', { expanded: false, name: /^Drone 00001/ }));
  const ended = { state: 'ended', ended: 'left', ended_at: '2026-11-27T12:03:00Z', acknowledged } as const;
  changes([alarmOf(1, ended)]);
  await expect.poll(() => rows()[0]?.dataset.stage).toBe('acknowledged');
  const closed = { by: 'bea', at: '2026-11-27T12:04:00Z', as: 'handled', comment: '' } as const;
  changes([alarmOf(1, { ...ended, closed })]);
  await expect.poll(() => rows().length).toBe(0);
});

test('a refusal is shown at the alarm, and the comment stays', async () => {
  const { screen, user, rows, clicks, unfolds } = await showAlarms([alarmOf(1)], true);
  await expect.poll(() => rows().length).toBe(1);
  await unfolds();
  await clicks('Close');
  await user.click(screen.getByRole('radio', { name: 'Nuisance' }));
  await user.type(screen.getByLabelText('Comment'), 'a bird{Enter}');
  expect(await screen.findByText('This takes the role operator.')).toBeTruthy();
  expect(screen.getByLabelText('Comment')).toHaveProperty('value', 'a bird');
});

test('a half-typed comment stays while the window changes between panel and sheet', async () => {
  const { screen, user, rows, sent, clicks, unfolds } = await showAlarms([alarmOf(1)]);
  await expect.poll(() => rows().length).toBe(1);
  await unfolds();
  await clicks('Close');
  await user.click(screen.getByRole('radio', { name: 'Nuisance' }));
  await user.type(screen.getByLabelText('Comment'), 'a bi');
  const before = screen.getByLabelText('Comment');
  resizeTo(390);
  await expect.poll(() => screen.queryByTestId('sheet')).not.toBeNull();
  const comment = await screen.findByLabelText('Comment');
  expect(comment).not.toBe(before);
  expect(comment).toHaveProperty('value', 'a bi');
  expect(document.activeElement).not.toBe(comment);
  await user.type(comment, 'rd{Enter}');
  await expect.poll(() => sent).toEqual([{ revision: 0, as: 'nuisance', comment: 'a bird' }]);
  await expect.poll(() => screen.queryByLabelText('Comment')).toBeNull();
});

test('a new alarm opens no dialog and moves no focus', async () => {
  const { screen, user, rows, changes, clicks, unfolds } = await showAlarms([alarmOf(1)]);
  await expect.poll(() => rows().length).toBe(1);
  await unfolds();
  await clicks('Acknowledge with a comment');
  const comment = screen.getByLabelText('Comment');
  await user.type(comment, 'known');
  changes([alarmOf(2), alarmOf(3, { perhaps_same_as: alarmOf(1).id })]);
  await expect.poll(() => screen.getByTestId('alarm-call').textContent).toMatch(/And 1 more/);
  await expect.poll(() => rows().length).toBe(3);
  expect(document.activeElement).toBe(comment);
  expect(comment).toHaveProperty('value', 'known');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.queryByRole('alertdialog')).toBeNull();
  expect(document.querySelector('dialog')).toBeNull();
});

test('says that sound is blocked here while the browser suspends it', async () => {
  const resumes: string[] = [];
  let state = 'suspended';
  class SuspendedContext {
    readonly currentTime = 0;
    get state() {
      return state;
    }
    /** Stays suspended, as it does before a click. */
    resume() {
      resumes.push(state);
      return new Promise<void>(() => undefined);
    }
    createOscillator = () => ({ frequency: {}, connect: (to: unknown) => to, start: vi.fn(), stop: vi.fn() });
    createGain = () => ({
      gain: { setValueAtTime: vi.fn(), linearRampToValueAtTime: vi.fn() },
      connect: (to: unknown) => to,
    });
  }
  vi.stubGlobal('AudioContext', SuspendedContext);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { screen, user, clicks } = await showAlarms([]);
  expect(screen.queryByText(/^Sound is blocked here/)).toBeNull();
  await user.click(screen.getByRole('switch', { name: /^Sound for new alarms/ }));
  const blocked = await screen.findByText(/^Sound is blocked here/);
  expect(blocked.getAttribute('role')).toBe('alert');
  expect(resumes).not.toHaveLength(0);
  await clicks('Test');
  expect(screen.queryByText('Played.')).toBeNull();
  state = 'running';
  await clicks('Test');
  expect(await screen.findByText('Played.')).toBeTruthy();
  expect(screen.queryByText(/^Sound is blocked here/)).toBeNull();
});

function resizeTo(width: number): void {
  const { happyDOM } = window as unknown as { happyDOM: { setViewport: (size: { width: number }) => void } };
  const before = window.innerWidth;
  happyDOM.setViewport({ width });
  onTestFinished(() => happyDOM.setViewport({ width: before }));
}

test('shows the evidence of an alarm, and never 0 for a height that was not reported', async () => {
  const position = {
    public_track_id: 'RX-A-0000000000000000',
    observed_at: '2026-11-27T12:00:00Z',
    longitude: 8.2,
    latitude: 46.9,
    altitude_m: null,
    height_agl_m: null,
    speed_mps: 5,
    heading_deg: null,
    confidence: null,
    confidence_score: null,
    receiver_count: 1,
    emergency_state: null,
    track_kind: 'drone' as const,
    simulated: false,
    test_broadcast: false,
  };
  const { user, rows } = await showAlarms([alarmOf(1, { evidence: [position] })]);
  await expect.poll(() => rows().length).toBe(1);
  const [toggle] = rows()[0]?.getElementsByTagName('button') ?? [];
  if (toggle) await user.click(toggle);
  const text = rows()[0]?.textContent;
  expect(text).toContain('46.90000, 8.20000');
  expect(text).toContain('height above ground (estimated) not reported · altitude, datum not stated not reported');
});

test('an open alarm shows who received it, and refreshes while a delivery waits', async () => {
  const delivery: NoticeDelivery = {
    id: '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7e01',
    destination: { id: '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7d01', name: 'Control room', kind: 'webhook' },
    type: 'opened',
    alarms: 1,
    state: 'arrived',
    created_at: '2026-11-27T12:00:01Z',
    tries: 1,
    arrived_at: '2026-11-27T12:00:02Z',
    next_try_at: null,
    problem: null,
  };
  const phone = { id: '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7d02', name: 'Duty phone', kind: 'ntfy' };
  const problem = 'The server answered with status 503.';
  const lost: NoticeDelivery = {
    ...delivery,
    id: `${delivery.id.slice(0, -1)}2`,
    destination: phone,
    state: 'given_up',
  };
  const waiting: NoticeDelivery = {
    ...delivery,
    id: `${delivery.id.slice(0, -1)}3`,
    type: 'ended',
    state: 'waiting',
    tries: 0,
  };
  let deliveries = [waiting, { ...lost, tries: 24, problem }, delivery];
  const page = await showPage({
    answers: {
      'GET /api/zones': () => Response.json({ zones: [] }),
      'GET /api/alarms': () => Response.json({ alarms: [alarmOf(1)], next: '1' }),
      [`GET /api/alarms/${alarmOf(1).id}/deliveries`]: () => Response.json({ deliveries }),
    },
  });
  const { screen, user, requests } = page;
  await user.keyboard('w');
  const row = await screen.findByTestId('alarm');
  expect(requests.some((route) => route.endsWith('/deliveries'))).toBe(false);
  await user.click(within(row).getAllByRole('button')[0] as HTMLElement);
  const part = await screen.findByRole('region', { name: 'Delivered to' });
  await expect
    .poll(() => part.textContent)
    .toMatch(/Control room · WebhookOpened: arrived .*12:00:02ZEnded: waiting to be sentDuty phone · ntfy/);
  expect(part.textContent).toContain(`Opened: given up after 24 tries: ${problem}`);
  deliveries = [{ ...waiting, state: 'arrived', tries: 1, arrived_at: '2026-11-27T12:00:09Z' }, ...deliveries.slice(1)];
  await expect.poll(() => part.textContent).toMatch(/Ended: arrived .*12:00:09Z/);
});

test('an alarm of no destination says so, and a failure is not taken for it', async () => {
  const { screen, user, rows } = await showAlarms([alarmOf(1)]);
  await expect.poll(() => rows().length).toBe(1);
  await user.click(rows()[0]?.getElementsByTagName('button')[0] as HTMLElement);
  await screen.findByText('Where it was delivered could not be read.');
  expect(screen.queryByText('Sent to no destination.')).toBeNull();
});

test('an answer of another operator that came first is shown, and the typed text stays and can be sent again', async () => {
  const closing = { by: 'op2', at: '2026-11-27T12:04:31Z', as: 'nuisance', comment: 'a bird' } as const;
  const message =
    'Closed as nuisance by op2 at 12:04:31Z: “a bird”. Nothing of yours was stored: read the alarm again.';
  const refused = Response.json({ error: { code: 'revision_conflict', message }, request_id: 'a' }, { status: 409 });
  const { screen, user, clicks, sent, changes, unfolds } = await showAlarms([alarmOf(1)], refused);
  await unfolds();
  await clicks('Close');
  await user.type(screen.getByLabelText('Comment'), 'police drone{Enter}');
  await screen.findByText(message);
  changes([alarmOf(1, { revision: 1, closed: closing, notes: [{ ...closing, kind: 'closed', until: null }] })]);
  await screen.findByText('Closed as nuisance by op2 at 12:04:31Z: “a bird”');
  expect((screen.getByLabelText('Comment') as HTMLInputElement).value).toBe('police drone');
  await user.type(screen.getByLabelText('Comment'), '{Enter}');
  await expect.poll(() => sent.map((body) => (body as { revision: number }).revision)).toEqual([0, 1]);
});
