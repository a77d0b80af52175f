import { fireEvent } from '@testing-library/react';
import { expect, test } from 'vitest';
import { showPage } from '#testing/shown-page.tsx';

test('Enter that ends a composition chooses nothing, also in Safari, which no longer calls it composing', async () => {
  const { screen, user, lookout } = await showPage();
  const commands: unknown[] = [];
  lookout.mapCommands.listen((command) => commands.push(command));
  await user.keyboard('/');
  const field = await screen.findByRole('combobox', { name: /^Find a reference/ });
  await user.type(field, '47.458, 8.548');
  await expect.poll(() => screen.queryAllByRole('option').length).toBeGreaterThan(0);
  fireEvent.keyDown(field, { key: 'ArrowDown' });
  fireEvent.keyDown(field, { key: 'Enter', keyCode: 229 });
  expect(commands).toEqual([]);
  fireEvent.keyDown(field, { key: 'Enter', keyCode: 13 });
  expect(commands).toMatchObject([{ kind: 'go-to', lat: 47.458, lon: 8.548 }]);
});
