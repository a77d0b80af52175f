import { cleanup, render, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, onTestFinished, test } from 'vitest';
import type { Incident } from '#lib/api/watching/incidents.ts';
import { localStore } from '#lib/client/browser/storage.ts';
import { incidentOf } from '#lib/client/incidents/incident.fixture.ts';
import { eventually } from '#testing/eventually.ts';
import { pageViewerOf } from '#testing/page-at-lookout.ts';
import { PageFrame } from './page-frame.tsx';

function showFrame(preferences: object = {}, incidents?: Incident[]) {
  localStore.write('lookout.preferences', preferences);
  onTestFinished(() => {
    cleanup();
    localStore.write('lookout.preferences', undefined);
  });
  globalThis.fetch = async (input) =>
    incidents && String(input).endsWith('/api/incidents') ? Response.json({ incidents }) : new Promise(() => undefined);
  render(
    <PageFrame viewer={pageViewerOf(undefined)} title="Overview" path="/overview">
      {() => <input aria-label="A field" />}
    </PageFrame>,
  );
  const screen = within(document.body);
  return {
    screen,
    user: userEvent.setup({ pointerEventsCheck: 0 }),
    bar: async () => within(await screen.findByRole('banner')),
    help: () => screen.queryByRole('dialog', { name: 'Help' }),
  };
}

test('the bar has the help; ? opens it where no text is typed, and nothing floats over the page', async () => {
  const { screen, user, bar, help } = showFrame();
  const field = await screen.findByLabelText('A field');
  await user.type(field, '?');
  expect(field).toHaveProperty('value', '?');
  expect(help()).toBeNull();
  field.blur();
  await user.keyboard('?');
  await expect.poll(help).not.toBeNull();
  await user.keyboard('{Escape}');
  await expect.poll(help).toBeNull();
  await user.click((await bar()).getByRole('button', { name: 'Help' }));
  await expect.poll(help).not.toBeNull();
  await user.keyboard('{Escape}');
  await expect.poll(help).toBeNull();
  expect(document.querySelectorAll('.fixed')).toHaveLength(0);
});

test('with single keys switched off, no key opens the help, and its button does not name one', async () => {
  const { screen, user, bar, help } = showFrame({ singleKeys: false });
  await screen.findByLabelText('A field');
  const button = (await bar()).getByRole('button', { name: 'Help' });
  expect(button.getAttribute('aria-keyshortcuts')).toBeNull();
  await user.click(button);
  await eventually(() => expect(help()?.textContent).toContain('Single-letter keys are off'));
  await user.keyboard('{Escape}');
  await expect.poll(help).toBeNull();
  await user.keyboard('?');
  expect(help()).toBeNull();
});

test('while an incident is open, the bar of every page leads to it', async () => {
  const { bar } = showFrame({}, [incidentOf(14, { to: '2026-11-27T12:30:00Z' })]);
  const chip = await (await bar()).findByRole('link', { name: 'Open incident 2026-014 · Drone near 14' });
  expect(chip.getAttribute('href')).toBe(`/incidents/${incidentOf(14).id}`);
});
