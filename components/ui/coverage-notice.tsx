export const COVERAGE_NOTICE =
  'Received positions only. Coverage is not guaranteed; an empty area is not a clear area. Not for collision avoidance or emergencies.';

export function CoverageNotice() {
  return (
    <p data-testid="standing-notice" className="text-caption text-dim">
      {COVERAGE_NOTICE}
    </p>
  );
}
