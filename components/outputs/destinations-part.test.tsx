import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, onTestFinished, test } from 'vitest';
import { destinationOf } from '#lib/api/outputs/destination.fixture.ts';
import type { ConfigOf } from '#lib/api/outputs/destination-kinds.ts';
import type { Destination, NewDestination, NoticeDelivery } from '#lib/api/outputs/destinations.ts';
import { DeskProvider } from '#lib/client/page/desk.tsx';
import { makePageDesk } from '#lib/client/page/page-desk.ts';
import { pricedZone, zoneOf } from '#lib/client/zones/zone.fixture.ts';
import { newRule } from '#lib/client/zones/zone-draft.ts';
import { DestinationsPart } from './destinations-part.tsx';

const ID = '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7d01';
const AS_OF = '2026-11-27T12:10:00Z';

const trial: NoticeDelivery = {
  id: '6f1d1f8e-3c6e-4b6e-9d64-1f6f0c2a7e01',
  destination: { id: ID, name: 'Control room', kind: 'webhook' },
  type: 'trial',
  alarms: 0,
  state: 'waiting',
  created_at: '2026-11-27T12:09:59Z',
  arrived_at: null,
  tries: 0,
  next_try_at: null,
  problem: null,
};

type Answer = (body: unknown) => Response;

async function showOutputs(destinations: Destination[], answers: Readonly<Record<string, Answer>> = {}) {
  const sent: { route: string; body: unknown }[] = [];
  globalThis.fetch = async (input, init) => {
    const route = `${init?.method ?? 'GET'} ${String(input)}`;
    const body: unknown = init?.body === undefined ? undefined : JSON.parse(String(init.body));
    if (init?.method !== 'GET') sent.push({ route, body });
    if (answers[route]) return answers[route](body);
    if (route === 'GET /api/zones') return Response.json({ zones: [] });
    if (route === 'GET /api/admin/destinations') return Response.json({ as_of: AS_OF, destinations });
    throw new TypeError(`no answer for ${route}`);
  };
  onTestFinished(cleanup);
  render(
    <QueryClientProvider client={new QueryClient()}>
      <DeskProvider value={makePageDesk(undefined, AS_OF).desk}>
        <DestinationsPart zone="utc" />
      </DeskProvider>
    </QueryClientProvider>,
  );
  const screen = within(document.body);
  await screen.findByRole('button', { name: 'Add a destination' });
  const user = userEvent.setup({ pointerEventsCheck: 0 });
  return {
    screen,
    user,
    sent,
    clicks: (name: string | RegExp) => user.click(screen.getByRole('button', { name })),
    adds: async (kind: string) => {
      screen.getByRole('button', { name: 'Add a destination' }).focus();
      await user.keyboard('{Enter}');
      await user.click(await screen.findByRole('menuitem', { name: kind }));
    },
  };
}

const refused = (code: string, message: string) => () =>
  Response.json({ error: { code, message }, request_id: 'a' }, { status: 400 });

const PATH = '/api/admin/destinations';

test('a webhook is added, and its secret is shown once', async () => {
  const destinations: Destination[] = [];
  const { screen, user, sent, adds, clicks } = await showOutputs(destinations, {
    [`POST ${PATH}`]: (body) => {
      const destination = destinationOf({ ...(body as NewDestination) });
      destinations.push(destination);
      return Response.json({ destination, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }, { status: 201 });
    },
  });
  expect(screen.getByText(/^No destinations yet. Alarms appear only in Lookout/)).toBeTruthy();
  await adds('Webhook');
  expect(document.activeElement).toBe(screen.getByLabelText('Name'));
  await user.type(screen.getByLabelText('Name'), 'Control room');
  await user.type(screen.getByLabelText('Address'), 'https://hooks.example/lookout');
  await clicks('Save');
  expect((await screen.findByTestId('shown-once')).textContent).toBe('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  expect(screen.getByRole('button', { name: 'Copy the secret' })).toBeTruthy();
  expect(sent[0]?.body).toMatchObject({
    name: 'Control room',
    is_on: true,
    config: { kind: 'webhook', url: 'https://hooks.example/lookout' },
    announces: ['opened', 'reopened', 'ended'],
    notices_an_hour: null,
  });
  expect(sent[0]?.body).not.toHaveProperty('secret');
  await screen.findByRole('heading', { name: 'Control room' });
  await clicks('Hide the secret');
  expect(screen.queryByText(/whsec_/)).toBeNull();
});

test('every kind has a form that sends what was typed', async () => {
  const page = await showOutputs([], { [`POST ${PATH}`]: refused('not_possible', 'No.') });
  const { screen, user, sent, adds, clicks } = page;
  const typed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    ntfy: { 'Address of the topic': 'https://ntfy.example/tower', 'Access token': 'tk_1' },
    Mail: {
      Server: 'smtp.example',
      Authority: 'CA',
      From: 'lookout@example.org',
      To: 'a@example.org, b@example.org',
      Password: 'p',
    },
    MQTT: { 'Address of the broker': 'mqtts://broker.example', User: 'lookout' },
    'TAK server (CoT)': { Server: 'tak.example', 'Client certificate': 'PEM', 'Key of the client certificate': 'KEY' },
    Heartbeat: { Address: 'https://beat.example/1' },
  };
  for (const [kind, fields] of Object.entries(typed)) {
    await adds(kind);
    await user.type(screen.getByLabelText('Name'), kind);
    for (const [label, text] of Object.entries(fields)) await user.type(screen.getByLabelText(label), text);
    if (kind.startsWith('TAK')) {
      await user.click(screen.getByRole('switch', { name: 'Positions too' }));
      await user.type(screen.getByLabelText('In the area'), '8.2, 46.7, 8.9, 47.1');
    }
    await clicks('Save');
    await screen.findByText('No.');
    await clicks('Cancel');
  }
  expect(sent.map(({ body }) => body)).toMatchObject([
    { config: { kind: 'ntfy', url: 'https://ntfy.example/tower', priority: 4 }, secret: 'tk_1' },
    {
      config: { kind: 'mail', port: 587, security: 'starttls', ca_pem: 'CA', to: ['a@example.org', 'b@example.org'] },
      secret: 'p',
    },
    { config: { kind: 'mqtt', url: 'mqtts://broker.example', user: 'lookout', topic: 'lookout' } },
    {
      config: {
        kind: 'cot',
        certificate_pem: 'PEM',
        ca_pem: '',
        positions: { layers: ['rid', 'adsb'], bbox: [8.2, 46.7, 8.9, 47.1], every_s: 5, trail: false },
      },
      secret: 'KEY',
    },
    { config: { kind: 'heartbeat', url: 'https://beat.example/1' } },
  ]);
});

test('errors of the server stand at their fields, and the first one has the focus', async () => {
  const message = 'config.url: must be an address; time_zone: is not known here; the moon is full';
  const { screen, user, adds, clicks } = await showOutputs([], { [`POST ${PATH}`]: refused('bad_body', message) });
  await adds('Webhook');
  await user.type(screen.getByLabelText('Name'), 'Control room');
  await clicks('Save');
  const address = screen.getByLabelText('Address');
  await expect.poll(() => document.activeElement).toBe(address);
  const ids = address.getAttribute('aria-describedby')?.split(' ') ?? [];
  expect(ids.map((id) => document.getElementById(id)?.textContent)).toContain('must be an address');
  expect(screen.getByLabelText('Time zone').getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByText('the moon is full')).toBeTruthy();
  expect(screen.getByLabelText('Name')).toHaveProperty('value', 'Control room');
});

test('a card says how late a destination is that takes notices more slowly than they are made', async () => {
  const slow = { last_arrived_at: '2026-11-27T12:09:59Z', waiting: 8646 };
  const { screen } = await showOutputs([
    destinationOf({ ...slow, waiting_since: '2026-11-27T12:06:00Z' }),
    destinationOf({ ...slow, id: ID.replace('d01', 'd02'), name: 'Grouped', waiting_since: '2026-11-27T12:10:30Z' }),
  ]);
  const region = (name: string) => screen.getByRole('region', { name });
  await expect.poll(() => region('Control room').textContent).toContain('8\u202f646 waiting, the first for 4 min');
  expect(region('Control room').querySelector('.text-warning')).not.toBeNull();
  expect(region('Grouped').textContent).toContain('8\u202f646 waitingOn');
  expect(region('Grouped').querySelector('.text-warning')).toBeNull();
});

test('a card says whether notices arrive, since when they do not, and what waits or was given up', async () => {
  const problem = { since: '2026-11-27T12:04:00Z', text: 'The server answered with status 503.' };
  const { screen } = await showOutputs([
    destinationOf({ last_arrived_at: '2026-11-27T12:09:00Z' }),
    destinationOf({
      id: ID.replace('d01', 'd02'),
      name: 'Duty phone',
      problem,
      waiting: 41,
      given_up: 2,
      next_try_at: '2026-11-27T12:12:30Z',
      last_arrived_at: '2026-11-27T11:00:00Z',
      config: { kind: 'ntfy', url: 'https://ntfy.example/tower', priority: 4 },
    }),
    destinationOf({
      id: ID.replace('d01', 'd03'),
      name: 'Old hook',
      is_on: false,
      switched_off: { at: '2026-11-27T10:10:00Z', reason: 'The receiver answered 410 Gone.' },
    }),
    destinationOf({ id: ID.replace('d01', 'd04'), name: 'Untried' }),
    destinationOf({ id: ID.replace('d01', 'd05'), name: 'Spare', is_on: false }),
  ]);
  const text = (name: string) => screen.getByRole('region', { name }).textContent;
  await expect.poll(() => text('Control room')).toContain('Working, last sent 12:09:00Z, 60 s ago');
  expect(text('Duty phone')).toContain('Failing since 12:04:00Z, 6 min ago: The server answered with status 503.');
  expect(text('Duty phone')).toContain(
    'last sent 11:00:00Z, 1 h 10 min ago · 41 waiting · next try in 3 min · 2 given up',
  );
  expect(text('Duty phone')).toContain('Used by no zone. Off gives up those that wait.');
  expect(text('Old hook')).toContain('Switched off by Lookout 10:10:00Z, 2 h ago: The receiver answered 410 Gone.');
  expect(text('Untried')).toContain('Nothing sent yet. Send a trial to see whether it arrives.');
  expect(text('Spare')).toContain('Off: nothing is sent');
});

test('a trial shows its result while it is sent', async () => {
  let state: NoticeDelivery = trial;
  const { screen, clicks } = await showOutputs([destinationOf()], {
    [`POST ${PATH}/${ID}/trial`]: () => Response.json({ delivery: trial.id }, { status: 202 }),
    [`GET ${PATH}/${ID}/deliveries`]: () => Response.json({ deliveries: [state] }),
  });
  await clicks('Send a trial to Control room');
  expect((await screen.findByTestId('trial-result')).textContent).toBe('Trial: waiting to be sent');
  state = { ...trial, tries: 1, problem: 'no route to host', next_try_at: '2026-11-27T12:10:05Z' };
  const result = () => screen.getByTestId('trial-result').textContent;
  await expect.poll(result).toBe('Trial: waiting after 1 try: no route to host');
  state = { ...trial, state: 'arrived', tries: 2, arrived_at: '2026-11-27T12:10:06Z' };
  await expect.poll(result).toBe('Trial: arrived 12:10:06Z, after 2 tries');
});

test('the latest deliveries name what was sent, its tries and why it was given up', async () => {
  const given_up: NoticeDelivery = {
    ...trial,
    type: 'opened',
    alarms: 12,
    state: 'given_up',
    tries: 24,
    problem: 'no route',
  };
  const { screen, clicks } = await showOutputs([destinationOf()], {
    [`GET ${PATH}/${ID}/deliveries`]: () =>
      Response.json({
        deliveries: [
          given_up,
          ...Array.from({ length: 11 }, (_, index) => ({ ...trial, id: trial.id.slice(0, -2) + (index + 10) })),
        ],
      }),
  });
  await clicks('Latest deliveries of Control room');
  const list = await screen.findByRole('list', { name: 'Latest deliveries' });
  await expect.poll(() => list.children.length).toBe(10);
  expect(list.firstElementChild?.textContent).toBe(
    '12:09:59ZOpened, 12 alarms in one noticegiven up after 24 tries: no route',
  );
  await clicks('Show the latest 12');
  expect(list.children.length).toBe(12);
});

test('secrets rotate: a new one is shown once, then the old one is dropped', async () => {
  const destinations = [destinationOf()];
  const answer = (secrets: number, secret: string | null) => () => {
    destinations[0] = destinationOf({ secrets });
    return Response.json({ destination: destinations[0], secret });
  };
  const { screen, sent, clicks } = await showOutputs(destinations, {
    [`POST ${PATH}/${ID}/secret`]: answer(2, 'whsec_bmV3'),
    [`DELETE ${PATH}/${ID}/secret`]: answer(1, null),
  });
  await clicks('Secret of Control room');
  await clicks('Add a secret');
  expect((await screen.findByTestId('shown-once')).textContent).toBe('whsec_bmV3');
  await screen.findByRole('button', { name: '2 secrets of Control room' });
  await clicks('Drop the old one');
  await screen.findByText('The newest secret alone signs now.');
  expect(sent.map(({ route }) => route)).toEqual([`POST ${PATH}/${ID}/secret`, `DELETE ${PATH}/${ID}/secret`]);
});

test('a change leaves a secret that is not typed, and sends the revision that was read', async () => {
  const mail: ConfigOf<'mail'> = {
    kind: 'mail',
    host: 'smtp.example',
    port: 587,
    security: 'starttls',
    user: 'u',
    ca_pem: '',
    from: 'a@example.org',
    to: ['b@example.org'],
  };
  const destinations = [destinationOf({ config: mail, revision: 4 })];
  const { screen, user, sent, clicks } = await showOutputs(destinations, {
    [`PATCH ${PATH}/${ID}`]: () => Response.json({ destination: destinations[0], secret: null }),
  });
  await clicks('Change Control room');
  expect(screen.getByLabelText('Password')).toHaveProperty('value', '');
  destinations[0] = destinationOf({ config: mail, revision: 5 });
  await user.type(screen.getByLabelText('To'), ', c@example.org');
  await clicks('Save');
  await expect.poll(() => sent.length).toBe(1);
  expect(sent[0]?.body).toMatchObject({ revision: 4, config: { to: ['b@example.org', 'c@example.org'] } });
  expect(sent[0]?.body).not.toHaveProperty('secret');
  await expect.poll(() => document.activeElement?.getAttribute('aria-label')).toBe('Change Control room');
});

test('a stored password is removed with the change, unless it is kept after all', async () => {
  const config = { kind: 'ntfy', url: 'https://ntfy.example/tower', priority: 4 } as const;
  const destinations = [destinationOf({ config })];
  const { screen, sent, clicks } = await showOutputs(destinations, {
    [`PATCH ${PATH}/${ID}`]: () => Response.json({ destination: destinations[0], secret: null }),
  });
  await clicks('Change Control room');
  await clicks('Remove the access token');
  expect(screen.getByText('Removed when you save.')).toBeTruthy();
  await clicks('Keep the access token');
  await clicks('Save');
  await expect.poll(() => sent.length).toBe(1);
  expect(sent[0]?.body).not.toHaveProperty('secret');
  await clicks('Change Control room');
  await clicks('Remove the access token');
  await clicks('Save');
  await expect.poll(() => sent.length).toBe(2);
  expect(sent[1]?.body).toHaveProperty('secret', null);
});

test('a destination is removed after a question that names its rules', async () => {
  const destinations = [destinationOf()];
  const rules = [
    { ...newRule('entered'), id: ID, notify: [ID] },
    { ...newRule('left'), id: ID },
  ];
  const zone = zoneOf(1, { name: 'Gate', shared: true, mine: false, owner: 'al', rules });
  const { screen, clicks } = await showOutputs(destinations, {
    'GET /api/zones': () => Response.json({ zones: [pricedZone(zone)] }),
    [`DELETE ${PATH}/${ID}`]: () => {
      destinations.pop();
      return new Response(null, { status: 204 });
    },
  });
  await clicks('Remove Control room…');
  const question = screen.getByRole('alertdialog', { name: 'Remove Control room?' });
  await expect.poll(() => question.textContent).toMatch(/These rules send nothing to it any more:Gate: EnteredKeep/);
  expect(document.activeElement?.textContent).toBe('Keep');
  await clicks('Remove Control room');
  expect(await screen.findByText('Control room was removed.')).toBeTruthy();
  await expect.poll(() => screen.queryByRole('heading', { name: 'Control room' })).toBeNull();
});

test('a changed server asks for the password again, and tells for which it was stored', async () => {
  const config: ConfigOf<'mail'> = {
    kind: 'mail',
    host: 'smtp.example',
    port: 587,
    security: 'starttls',
    user: 'al',
    ca_pem: '',
    from: 'a@example.org',
    to: ['b@example.org'],
  };
  const { screen, user, sent, clicks } = await showOutputs([destinationOf({ config })], {
    [`PATCH ${PATH}/${ID}`]: refused('bad_body', 'secret: give it again: it would go elsewhere.'),
  });
  await clicks('Change Control room');
  expect(screen.getByText('Kept, and never shown. Empty: unchanged.')).toBeTruthy();
  await user.clear(screen.getByLabelText('Server'));
  await user.type(screen.getByLabelText('Server'), 'other.example');
  expect(screen.getByText(/^Stored for smtp, STARTTLS, smtp\.example:587\. Type it again/)).toBeTruthy();
  await clicks('Save');
  await screen.findByText('give it again: it would go elsewhere.');
  expect(document.activeElement).toBe(screen.getByLabelText('Password'));
  expect(sent[0]?.body).not.toHaveProperty('secret');
});

test('a webhook that moves asks for its secret, and without one gets a new one', async () => {
  const { screen, user, sent, clicks } = await showOutputs([destinationOf()], {
    [`PATCH ${PATH}/${ID}`]: (body) =>
      Response.json({ destination: destinationOf(body as NewDestination), secret: 'whsec_new' }),
  });
  await clicks('Change Control room');
  expect(screen.queryByLabelText('Secret that signs')).toBeNull();
  await user.clear(screen.getByLabelText('Address'));
  await user.type(screen.getByLabelText('Address'), 'https://other.example/lookout');
  expect(screen.getByLabelText('Secret that signs')).toBeTruthy();
  await clicks('Save');
  expect((await screen.findByTestId('shown-once')).textContent).toBe('whsec_new');
  expect(sent[0]?.body).toMatchObject({ secret: null });
});
