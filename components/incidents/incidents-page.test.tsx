import { cleanup, render, within } from '@testing-library/react';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Incident } from '#lib/api/watching/incidents.ts';
import { ApiClient } from '#testing/api-client.ts';
import { eventually } from '#testing/eventually.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import { pageAt, pageViewerOf } from '#testing/page-at-lookout.ts';
import { IncidentPage } from './incident-page.tsx';
import { IncidentsPage } from './incidents-page.tsx';

const AREA = { type: 'Circle', centre: [8.55, 47.45], radius_m: 20_000 };

let lookout: LookoutHere;
let bo: ApiClient;
beforeAll(async () => {
  lookout = await startLookoutHere({
    operators: ['ada', 'bo', 'vic'],
    roles: { ada: 'admin', vic: 'viewer' },
    settings: { POSITIONS_ALLOWANCE: 'none', POSITIONS_EMBEDDED: '1' },
  });
  bo = await ApiClient.signedIn(lookout, 'bo');
});
afterAll(() => lookout.stop());

const ROLES = { ada: 'admin', bo: 'operator', vic: 'viewer' } as const;
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

async function opened(title: string, to: string | null = ago(2)): Promise<Incident> {
  const answer = await bo.ask('POST', '/api/incidents', { title, from: ago(20), to, area: AREA, layers: ['rid'] });
  expect(answer.status).toBe(201);
  return answer.json().incident;
}

async function showsList(operator: keyof typeof ROLES) {
  const shown = await pageAt(lookout, operator);
  render(<IncidentsPage viewer={pageViewerOf(operator, { role: ROLES[operator] })} />);
  return shown;
}

async function shows(operator: keyof typeof ROLES, first: Incident) {
  const shown = await pageAt(lookout, operator);
  render(<IncidentPage viewer={pageViewerOf(operator, { role: ROLES[operator] })} first={first} />);
  const notes = within(await shown.screen.findByRole('region', { name: 'Notes' }));
  const title = () => within(shown.screen.getByRole('main')).getByRole('heading', { level: 1 }).textContent;
  return { ...shown, notes, title, button: (name: string | RegExp) => shown.screen.getByRole('button', { name }) };
}

test('an empty list has its button for operators, and none for viewers', async () => {
  const { screen } = await showsList('vic');
  await screen.findByText(/^No incidents yet/);
  expect(screen.queryByRole('button', { name: 'New incident' })).toBeNull();
  cleanup();
  const { screen: written, user } = await showsList('bo');
  await user.click(await written.findByRole('button', { name: 'New incident' }));
  const form = within(written.getByRole('region', { name: 'New incident' }));
  await user.type(form.getByLabelText('Title'), 'Drone near 14');
  await user.type(form.getByLabelText('Middle'), 'somewhere');
  await user.click(form.getByRole('button', { name: 'Open incident' }));
  await form.findByText('“somewhere” is no place: write it as 47.45, 8.55.');
  expect(document.activeElement).toBe(form.getByRole('button', { name: 'Open incident' }));
  await user.clear(form.getByLabelText('Middle'));
  await user.type(form.getByLabelText('Middle'), '47.45, 8.55');
  await user.clear(form.getByLabelText('Radius'));
  await user.type(form.getByLabelText('Radius'), '-5');
  await user.click(form.getByRole('button', { name: 'Open incident' }));
  await form.findByText('Radius: 1 to 500000.');
  await user.clear(form.getByLabelText('Radius'));
  await user.type(form.getByLabelText('Radius'), '2000');
  await user.click(form.getByRole('button', { name: 'Open incident' }));
  await eventually(async () => expect((await bo.ask('GET', '/api/incidents')).json().incidents).toHaveLength(1));
});

test('the list has open incidents first, and finds by number, title and person', async () => {
  const closed = await opened('Laser');
  const { revision } = closed;
  expect((await bo.ask('POST', `/api/incidents/${closed.id}/close`, { revision })).status).toBe(200);
  await opened('Light in the north', null);
  const { screen, user } = await showsList('vic');
  const list = await screen.findByRole('list', { name: 'Incidents' });
  const rows = () => within(list).getAllByRole('listitem');
  expect(rows().map(({ firstElementChild }) => firstElementChild?.textContent)).toEqual(['Open', 'Open', 'Closed']);
  await user.type(screen.getByRole('searchbox', { name: 'Find an incident' }), 'bo laser');
  expect(rows().map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Closed\d{4}-\d{3} · Laser.*Circle, radius 20.00 km around 47.45000, 8.55000.*Opened by bo/),
  ]);
  expect(within(list).getByRole('link').getAttribute('href')).toBe(`/incidents/${closed.id}`);
  await user.type(screen.getByRole('searchbox'), ' nowhere');
  await screen.findByText('No incident has “bo laser nowhere”.');
});

test('an operator writes a note and its correction, closes and seals; the file and the key are on the page', async () => {
  const first = await opened('Runway 14 closed');
  const { screen, user, notes, title, button } = await shows('bo', first);
  expect(title()).toBe(`${first.number} · Runway 14 closed`);
  const write = () => within(screen.getByRole('region', { name: /^(Write|Correct) / }));
  await user.click(button('Write a note'));
  await user.type(write().getByLabelText('Note'), 'Runway 16 closed');
  await user.selectOptions(write().getByLabelText('Kind'), 'Decision');
  await user.click(write().getByRole('button', { name: 'Write note' }));
  await user.click(await notes.findByRole('button', { name: /^Correct the note of/ }));
  await user.clear(write().getByLabelText('Note'));
  await user.type(write().getByLabelText('Note'), 'Runway 14 closed');
  await user.click(write().getByRole('button', { name: 'Write correction' }));
  const list = notes.getByRole('list', { name: 'Notes, latest first' });
  await eventually(() => expect(list.children).toHaveLength(2));
  expect(list.children[0]?.textContent).toMatch(
    /^Decision .* bo.*Stored.*Runway 14 closedCorrects the note of .* by bo$/,
  );
  expect(list.children[1]?.textContent).toMatch(/Runway 16 closedCorrected by the note of .* by bo$/);

  await user.click(button('Close'));
  const close = within(screen.getByRole('region', { name: 'Close' }));
  expect(close.getByText(/at most 24 h, 5 000 000 positions and 200 MB/)).toBeTruthy();
  expect(close.queryByTestId('price')).toBeNull();
  await eventually(() => expect(close.getByRole('button')).toHaveProperty('disabled', false));
  await user.click(close.getByRole('button', { name: `Close ${first.number}` }));
  await user.click(await screen.findByRole('button', { name: 'Seal' }));
  const seal = within(screen.getByRole('region', { name: 'Seal' }));
  expect(seal.getByText(/After it, nothing of the incident changes/)).toBeTruthy();
  await user.click(seal.getByRole('button'));
  const file = within(await screen.findByRole('region', { name: 'Sealed file' }));
  const { sealed } = (await bo.ask('GET', `/api/incidents/${first.id}`)).json().incident as Incident;
  expect(file.getByTestId('sha256').textContent).toBe(sealed?.sha256);
  expect(file.getByRole('link').getAttribute('href')).toBe(`/api/incidents/${first.id}/file`);
  await eventually(() => expect(file.getByTestId('public-key').textContent).toMatch(/^-----BEGIN PUBLIC KEY-----/));
  await eventually(() => expect(screen.queryByLabelText('Note')).toBeNull());
  for (const name of ['Write a note', 'Add sighting', 'Change', 'Close', 'Seal', 'Delete'])
    expect(screen.queryByRole('button', { name })).toBeNull();
});

test('a viewer sees the incident, and no button that a viewer may not press; an admin deletes it with a reason', async () => {
  const first = await opened('Balloon');
  const { screen, notes } = await shows('vic', first);
  await screen.findByTestId('verdicts');
  expect(notes.queryByRole('textbox')).toBeNull();
  const main = within(screen.getByRole('main'));
  expect(main.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Print']);
  cleanup();
  const { screen: admin, user, button } = await shows('ada', first);
  await user.click(button('Delete'));
  await user.click(button(`Delete ${first.number}`));
  expect((admin.getByLabelText('Reason') as HTMLInputElement).checkValidity()).toBe(false);
  await user.type(admin.getByLabelText('Reason'), 'Opened by mistake');
  await user.click(button(`Delete ${first.number}`));
  await admin.findByText('This incident was deleted.');
});

test('a change that a colleague overtook is not saved unseen', async () => {
  const first = await opened('Kite');
  const { screen, user, title, button } = await shows('bo', first);
  await user.click(button('Change'));
  const form = () => within(screen.getByRole('region', { name: 'Change' }));
  const saves = async () => {
    await user.clear(form().getByLabelText('Title'));
    await user.type(form().getByLabelText('Title'), 'Two kites');
    await user.click(form().getByRole('button', { name: 'Save' }));
  };
  const body = { revision: first.revision, title: 'Kite over 28' };
  expect((await bo.ask('PATCH', `/api/incidents/${first.id}`, body)).status).toBe(200);
  await saves();
  await form().findByText(/^Not done: a colleague changed it first/);
  await eventually(() => expect(title()).toBe(`${first.number} · Kite over 28`));
  await user.click(button('Change'));
  await user.click(button('Change'));
  await saves();
  await eventually(() => expect(title()).toBe(`${first.number} · Two kites`));
});

test('a sighting is added with its check', async () => {
  const first = await opened('Two lights');
  const { screen, user, notes, button } = await shows('bo', first);
  await user.click(button('Add sighting'));
  const form = within(screen.getByRole('region', { name: 'Add sighting' }));
  await user.type(form.getByLabelText('Place of the person'), '47.45, 8.55');
  await user.type(form.getByLabelText('Bearing'), '45');
  await user.type(form.getByLabelText('Words of the person'), 'two lights');
  await user.click(form.getByRole('button', { name: 'Add and check' }));
  await notes.findByText('Seen ± 60 s, bearing 45° ± 10°');
  const check = notes.getByRole('list', { name: 'About the note' });
  expect(check.textContent).toMatch(/(Fits: |No received track fits\.).*Satellites are not checked\.$/);
});
