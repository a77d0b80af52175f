import type { Change } from './use-change.ts';

/** What came of the last change. */
export function ChangeNotes({ change: { done, refusal } }: { readonly change: Change }) {
  return (
    <>
      <p role="status" className="text-good empty:hidden">
        {done}
      </p>
      <p role="alert" className="text-bad empty:hidden">
        {refusal}
      </p>
    </>
  );
}
