import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { CONFIDENCE_LABELS } from '#lib/model/confidence.ts';
import { ConfidenceBadge } from './confidence-badge.tsx';

const markup = (label: string | undefined) => renderToStaticMarkup(createElement(ConfidenceBadge, { label }));

test('a badge has the words of a known label, an unknown label itself, or says that none was reported', () => {
  expect(markup('multi_station')).toContain('Several stations');
  expect(markup('seven_stations')).toContain('>seven_stations<');
  expect(markup(undefined)).toContain('Confidence not reported');
});

test('every label has a sign of its own', () => {
  const signs = [...CONFIDENCE_LABELS, undefined].map((label) => /<svg.*<\/svg>/.exec(markup(label))?.[0]);
  expect(new Set(signs).size).toBe(signs.length);
});
