import type { ReactNode } from 'react';
import { type ConfidenceClass, confidenceClass, confidenceText } from '#lib/model/confidence.ts';
import { NOT_REPORTED } from '#lib/model/measure-text.ts';

/** Stations are drawn as dots; screen readers get only the words. */
const GLYPH: Readonly<Record<ConfidenceClass, ReactNode>> = {
  several: <path d="M6 2.5h0M2.5 8h0M9.5 8h0" strokeWidth="3.6" />,
  single: <path d="M6 5.5h0" strokeWidth="3.6" />,
  inconsistent: (
    <>
      <path d="M2.5 8h0M9.5 2.5h0" strokeWidth="3.6" />
      <path d="M3 2l6 7" />
    </>
  ),
  stale: (
    <>
      <circle cx="6" cy="5.5" r="4" />
      <path d="M6 3.2v2.5l1.6 1" />
    </>
  ),
  neutral: <circle cx="6" cy="5.5" r="2.4" strokeDasharray="1.5 1.5" />,
};

export function ConfidenceGlyph({ of }: { readonly of: ConfidenceClass }) {
  return (
    <svg
      aria-hidden="true"
      width="14"
      height="13"
      viewBox="0 0 12 11"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.2"
      strokeLinecap="round"
    >
      {GLYPH[of]}
    </svg>
  );
}

/** @param label as received; `undefined` if none was */
export function ConfidenceBadge({ label }: { readonly label: string | undefined }) {
  return (
    <span
      title={label === undefined ? 'No confidence label was reported.' : `Confidence label ${label}`}
      className="inline-flex max-w-full items-center gap-1 whitespace-nowrap rounded-[4px] border border-line bg-raised px-1 text-label text-text leading-[15px]"
    >
      <ConfidenceGlyph of={confidenceClass(label)} />
      <span className="truncate">{confidenceText(label) ?? `Confidence ${NOT_REPORTED}`}</span>
    </span>
  );
}
