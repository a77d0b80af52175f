import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { cleanup, render, within } from '@testing-library/react';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { initialPasswordSchema } from '#lib/api/people/account.ts';
import { auditChoice } from '#lib/client/account/account-requests.ts';
import { ApiClient } from '#testing/api-client.ts';
import { eventually } from '#testing/eventually.ts';
import { type LookoutHere, startLookoutHere } from '#testing/lookout-here.ts';
import { pageAt, pageViewerOf } from '#testing/page-at-lookout.ts';
import { ClosedPage } from '../frame/page-frame.tsx';
import { AccountPage } from './account-page.tsx';
import { AuditPage } from './audit-page.tsx';
import { PeoplePage } from './people-page.tsx';

let lookout: LookoutHere;
let ada: ApiClient;
beforeAll(async () => {
  lookout = await startLookoutHere({ operators: ['ada', 'ben', 'cleo'], roles: { ada: 'admin' } });
  ada = await ApiClient.signedIn(lookout, 'ada');
});
afterAll(() => lookout.stop());

/** @returns the initial password */
async function added(name: string, role: string): Promise<string> {
  const answer = await ada.ask('POST', '/api/admin/people', { name, role });
  return initialPasswordSchema.parse(answer.json()).password;
}

async function shows(operator: string, page: React.ReactElement, password?: string) {
  const shown = await pageAt(lookout, operator, password);
  render(page);
  const region = (name: string) => shown.screen.findByRole('region', { name });
  return { ...shown, region };
}

describe('People', () => {
  test('an admin adds an operator, sees the initial password once, and ends their session', async () => {
    const { screen, user, region } = await shows('ada', <PeoplePage viewer={pageViewerOf('ada')} />);
    const add = within(await region('New person'));
    await user.type(add.getByLabelText('Name'), 'eve');
    await user.click(add.getByRole('radio', { name: 'viewer' }));
    await user.click(add.getByRole('button', { name: 'Add person' }));
    await eventually(() => expect(add.getByRole('status').textContent).toBe('eve was added as viewer.'));
    const password = screen.getByTestId('shown-once').textContent;
    const card = await region('eve');
    expect(card.textContent).toContain('viewer, initial password, not changed yet, not signed in');
    expect(within(card).getByRole('link', { name: 'What eve did' }).getAttribute('href')).toBe(
      '/admin/audit?operator=eve',
    );
    await user.click(screen.getByRole('button', { name: 'Hide the password' }));
    expect(screen.queryByTestId('shown-once')).toBeNull();

    const eve = await ApiClient.signedIn(lookout, 'eve', password);
    await user.click(within(await region('ben')).getByRole('radio', { name: 'viewer' }));
    await eventually(() => expect(card.textContent).toContain('sessions: 1'));
    await user.click(within(card).getByRole('button', { name: 'End Firefox on Linux' }));
    await eventually(() => expect(within(card).getByRole('status').textContent).toContain('was ended.'));
    expect(await eve.tries('GET', '/api/session')).toBe('401 not_signed_in');
  });

  test('an admin who gives up the role confirms it, and sees that it was done', async () => {
    const password = await added('chief', 'admin');
    const next = 'thirteen swifts above the depot';
    const chief = await ApiClient.signedIn(lookout, 'chief', password);
    expect(await chief.tries('PUT', '/api/account/password', { present: password, next })).toBe('200');
    const page = <PeoplePage viewer={pageViewerOf('chief')} />;
    const { screen, user, region } = await shows('chief', page, next);
    const own = await region('chief');
    await user.click(within(own).getByRole('radio', { name: 'viewer' }));
    expect(own.textContent).toContain('as viewer you could not open this page any more');
    await user.click(within(own).getByRole('button', { name: 'Stay admin' }));
    expect(await chief.tries('GET', '/api/admin/people')).toBe('200');
    await user.click(within(own).getByRole('radio', { name: 'viewer' }));
    await user.click(within(own).getByRole('button', { name: 'Make me viewer' }));
    expect((await screen.findByText(/^You made yourself viewer/)).textContent).toBe(
      'You made yourself viewer, so this page is closed to you now. Another admin can undo it.',
    );
    expect(screen.queryByRole('region', { name: 'ada' })).toBeNull();
    expect(await chief.tries('GET', '/api/admin/people')).toBe('403 not_permitted');
  });

  test('an admin who is demoted by another sees that', async () => {
    const path = '/api/admin/people/chief';
    expect(await ada.tries('PATCH', path, { role: 'admin' })).toBe('204');
    const page = <PeoplePage viewer={pageViewerOf('chief')} />;
    const { screen, user, region } = await shows('chief', page, 'thirteen swifts above the depot');
    const card = within(await region('ada'));
    expect(await ada.tries('PATCH', path, { role: 'operator' })).toBe('204');
    await user.click(card.getByRole('radio', { name: 'viewer' }));
    await screen.findByText('This takes the role admin; yours is operator.');
    expect(screen.queryByRole('region', { name: 'ada' })).toBeNull();
  });

  test('is closed to other roles, and names the role', async () => {
    const page = <ClosedPage viewer={pageViewerOf('ben', { role: 'viewer' })} title="People" />;
    const { screen } = await shows('ben', page);
    expect((await screen.findByRole('status')).textContent).toContain(
      'You are signed in as ben, role viewer. This page is for admins',
    );
    const links = within(screen.getByRole('navigation', { name: 'Pages' })).getAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['/', '/overview', '/incidents', '/account']);
  });
});

describe('Your account', () => {
  test('an initial password is replaced by one that is not common', async () => {
    const password = await added('fay', 'viewer');
    const page = <AccountPage viewer={pageViewerOf('fay', { role: 'viewer', isLimited: true })} />;
    const { screen, user } = await shows('fay', page, password);
    await screen.findByText(/^Your password was made by an admin\./);
    screen.getByText(/role viewer: you see what is received now/);
    const changesTo = async (next: string) => {
      await user.type(screen.getByLabelText('Current password'), password);
      await user.clear(screen.getByLabelText('New password'));
      await user.type(screen.getByLabelText('New password'), next);
      await user.click(screen.getByRole('button', { name: 'Change password' }));
    };
    await changesTo('password1234');
    await screen.findByText('The password is too common: choose a less predictable one.');
    await user.clear(screen.getByLabelText('Current password'));
    await changesTo('nine gulls over the terminal');
    await screen.findByText('Your password is changed. 0 other sessions were ended.');
    await eventually(() => expect(screen.queryByText(/^Your password was made by an admin\./)).toBeNull());
    expect(screen.getByRole('listitem').textContent).toContain('Firefox on Linux · this one');
  });
});

describe('Audit', () => {
  const audit = (choice = {}) => <AuditPage viewer={pageViewerOf('ada')} choice={auditChoice(choice)} />;
  const extent = () => document.querySelector('ol + p[role="status"]')?.textContent;
  const kept = () => new DatabaseSync(join(lookout.dataDir, 'lookout.sqlite'));

  async function showsAudit(choice = {}) {
    const shown = await shows('ada', audit(choice));
    const list = () => shown.screen.queryByRole('list', { name: 'Audit, newest first' });
    const rows = () => [...(list()?.children ?? [])].map(({ textContent }) => textContent);
    return { ...shown, list, rows };
  }

  test('is read by person and kind, and says how much of it is shown', async () => {
    await added('dora d.', 'viewer');
    expect(await ada.tries('DELETE', '/api/admin/people/dora%20d.')).toBe('204');
    window.history.replaceState(null, '', '/admin/audit?operator=dora+d.');
    const { screen, user, rows, list } = await showsAudit({ operator: 'dora d.' });
    expect((await screen.findByLabelText<HTMLInputElement>('Person')).value).toBe('dora d.');
    await eventually(() => expect(rows()[0]).toContain('removed dora d.'));
    expect(extent()).toMatch(/^All \d+ entries of this choice that are kept\. Entries are deleted after 365 days\.$/);

    await user.selectOptions(screen.getByLabelText('Kind of event'), 'Person added');
    await eventually(() => expect(rows()).toHaveLength(1));
    expect(rows()[0]).toMatch(
      /\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ.* ago.*ada.*added dora d\. as viewer.*from 127\.0\.0\.1/s,
    );
    expect(window.location.search).toBe('?operator=dora+d.&kind=person_added');
    await user.clear(screen.getByLabelText('Person'));
    await user.type(screen.getByLabelText('Person'), 'dora');
    await user.click(screen.getByRole('button', { name: 'Show' }));
    await screen.findByText(/^Nothing of this choice is kept\./);
    expect(list()).toBeNull();
    cleanup();

    const ofBen = await showsAudit({ operator: 'ben' });
    expect((await ofBen.screen.findByLabelText<HTMLInputElement>('Person')).value).toBe('ben');
    await eventually(() => expect(ofBen.rows()[0]).toContain('ben'));
  });

  test('is read a hundred at a time, the newest first, until there is no more', async () => {
    const { screen, user, rows } = await showsAudit();
    const looksAgain = async (newest: string) => {
      // The audit is written after the event.
      await eventually(async () => {
        await user.click(screen.getByRole('button', { name: 'Refresh' }));
        expect(rows()[0]).toContain(newest);
      });
      await eventually(() => expect(rows()).toHaveLength(100));
    };
    await screen.findByRole('list', { name: 'Audit, newest first' });
    // Alike events within a minute are one row.
    for (let view = 0; view < 55; view++) {
      const made = await ada.ask('POST', '/api/views', { name: `view ${view}`, query: '?view=47,8,9' });
      await ada.ask('DELETE', `/api/views/${made.json().id}`);
    }
    await looksAgain('deleted the view “view 54”');
    expect(extent()).toMatch(/^The newest 100 entries, back to .*Z\. There are older ones\.$/);
    const database = kept();
    const all = Number(database.prepare('select count(*) as entries from audit_event').get()?.entries);
    database.close();
    expect(all).toBeGreaterThan(110);
    await user.click(screen.getByRole('button', { name: 'Show older' }));
    await eventually(() => expect(rows()).toHaveLength(all));
    expect(extent()).toContain(`All ${all} entries that are kept.`);
    expect(screen.queryByRole('button', { name: 'Show older' })).toBeNull();
    await ada.ask('POST', '/api/views', { name: 'the last', query: '?view=47,8,9' });
    await looksAgain('saved the view “the last”');
  });

  test('says how many events are not written yet', async () => {
    const { screen, user, rows } = await showsAudit();
    await eventually(() => expect(rows().length).toBeGreaterThan(0));
    await ada.account();
    const database = kept();
    database.exec(`create trigger refuse before insert on audit_event begin select raise(abort, 'no room'); end`);
    expect(await ada.tries('POST', '/api/admin/allowance')).toBe('204');
    await user.click(screen.getByRole('button', { name: 'Refresh' }));
    await screen.findByText(/^Not complete: 1 event is not written yet/);
    database.exec('drop trigger refuse');
    database.close();
  });

  test('is closed to an operator', async () => {
    const { screen } = await shows('cleo', audit());
    await screen.findByText('This takes the role admin; yours is operator.');
  });
});
