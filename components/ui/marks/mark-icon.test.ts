import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { MarkIcon, type MarkIconProps } from './mark-icon.tsx';
import { outlinePath } from './silhouettes.ts';

const colour = '#f28040';

function markup(props: Partial<MarkIconProps>): string {
  return renderToStaticMarkup(createElement(MarkIcon, { kind: 'aircraft', heading: 30, colour, size: 20, ...props }));
}

test('a mark has the map’s silhouette, filled with its colour and rotated to its heading', () => {
  expect(markup({})).toContain(`d="${outlinePath('aircraft')}" fill="${colour}"`);
  expect(markup({})).toContain('rotate(30)');
});

test('a mark without a heading has the shape of its kind that says so', () => {
  expect(markup({ kind: 'drone', heading: undefined })).toContain(outlinePath('drone-without-heading'));
});

test('an expired mark has a dashed outline and no fill of its colour', () => {
  const expired = markup({ phase: 'expired' });
  expect(expired).toContain(outlinePath('aircraft'));
  expect(expired).toContain('stroke-dasharray');
  expect(expired).not.toContain(`fill="${colour}"`);
});

test('a striped mark is filled with stripes in every state', () => {
  for (const state of [{}, { phase: 'expired' }, { test: true }, { emergency: true }] as const) {
    expect(markup({ ...state, striped: true })).toMatch(/fill="url\(#[^)]+\)"/);
    expect(markup(state)).not.toContain('url(#');
  }
});

test('every state looks different', () => {
  const pictures = [
    {},
    { phase: 'ageing' },
    { phase: 'expired' },
    { striped: true },
    { striped: true, phase: 'expired' },
    { test: true },
    { emergency: true },
  ] as const;
  expect(new Set(pictures.map((props) => markup(props))).size).toBe(pictures.length);
});
