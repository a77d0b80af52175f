/** @param left fraction of the time to live, 1 (just received) to 0; `undefined`, for expired or gone, draws a dashed ring */
export function FreshnessRing({ left }: { readonly left: number | undefined }) {
  const lengthPx = 2 * Math.PI * 10;
  return (
    <svg aria-hidden viewBox="0 0 26 26" className="size-7 shrink-0">
      <circle
        cx="13"
        cy="13"
        r="10"
        fill="none"
        strokeWidth="3"
        className={left === undefined ? 'stroke-dim' : 'stroke-line'}
        strokeDasharray={left === undefined ? '3 4' : undefined}
      />
      {left !== undefined && (
        <circle
          cx="13"
          cy="13"
          r="10"
          fill="none"
          strokeWidth="3"
          className="stroke-text"
          strokeDasharray={`${left * lengthPx} ${lengthPx}`}
          transform="rotate(-90 13 13)"
        />
      )}
    </svg>
  );
}
