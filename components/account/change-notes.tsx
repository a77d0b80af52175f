import type { Change } from './use-change.ts';

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
