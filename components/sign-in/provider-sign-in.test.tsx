import { act, render, screen } from '@testing-library/react';
import { renderToString } from 'react-dom/server';
import { afterEach, expect, test } from 'vitest';
import { ProviderSignIn } from './provider-sign-in.tsx';

const page = (
  <ProviderSignIn
    host="id.example"
    address="/api/sign-on"
    isReachable
    hasPasswords={false}
    endSessionAddress={undefined}
    problem={undefined}
    refusedName={undefined}
  />
);
const links = () => screen.queryAllByRole('link').map((link) => link.getAttribute('href'));

afterEach(() => {
  document.body.replaceChildren();
  window.history.replaceState(null, '', '/');
});

test('no link begins a sign-in before the code of the page knows where to return', async () => {
  window.history.replaceState(null, '', `/sign-in?${new URLSearchParams({ next: '/?view=47.2,8.6,8' })}`);
  const container = document.createElement('div');
  container.innerHTML = renderToString(page);
  document.body.append(container);
  expect(container.textContent).toContain('Sign in with id.example');
  expect(links()).toEqual([]);
  await act(async () => void render(page, { container, hydrate: true }));
  const begins = `/api/sign-on?${new URLSearchParams({ next: '/?view=47.2,8.6,8' })}`;
  expect(links()).toEqual([begins, `${begins}&as=other`]);
});
