import { configure } from '@testing-library/react';
import { afterEach } from 'vitest';
import { nodeFetch } from './node-fetch.ts';

// Without style sheets, computing visibility is pure cost. Messages omit the document.
configure({
  asyncUtilTimeout: 30_000,
  defaultHidden: true,
  getElementError: (message) => new Error(message ?? 'no such element'),
});

afterEach(() => {
  globalThis.fetch = nodeFetch;
});
