'use client';

import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { readAllButAlarms } from '#lib/client/alarms/alarms-query.ts';
import type { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';
import { Button, type ButtonProps } from '../ui/button.tsx';
import { FORM_GRID } from '../ui/form-fields.tsx';
import { refusalText } from './account-text.ts';

/** The changes of a page, one at a time, with the result of the last one. */
export interface Change {
  /** @param run makes the change, and resolves with what was done */
  readonly make: (run: () => Promise<string>) => void;
  readonly isSending: boolean;
  readonly done: string;
  readonly refusal: string | undefined;
}

/** @param reread what is read again after each change; default: every query */
export function useChange(reread: (queries: QueryClient) => Promise<void> = readAllButAlarms): Change {
  const queries = useQueryClient();
  const [done, setDone] = useState('');
  const { mutate, isPending, error } = useMutation<string, LookoutRequestError, () => Promise<string>>({
    mutationFn: (run) => run(),
    onMutate: () => setDone(''),
    onSuccess: (text) => setDone(text),
    // A refusal may mean that something changed elsewhere.
    onSettled: () => reread(queries),
    networkMode: 'always',
  });
  return { make: mutate, isSending: isPending, done, refusal: error ? refusalText(error) : undefined };
}

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

interface ChangeButtonProps extends Pick<ButtonProps, 'look' | 'className' | 'aria-label'> {
  readonly change: Change;
  readonly run: () => Promise<string>;
  readonly children: ReactNode;
}

export function ChangeButton({ change, run, children, ...rest }: ChangeButtonProps) {
  return (
    <Button disabled={change.isSending} onClick={() => change.make(run)} {...rest}>
      {children}
    </Button>
  );
}

interface ChangeFormProps {
  readonly change: Change;
  readonly onSubmit: (fields: FormData) => Promise<string>;
  readonly children: ReactNode;
}

export function ChangeForm({ change, onSubmit, children }: ChangeFormProps) {
  const element = useRef<HTMLFormElement>(null);
  const { refusal } = change;
  useEffect(() => {
    // The button that sent it was off meanwhile, and lost the focus.
    if (refusal !== undefined && document.activeElement === document.body)
      element.current?.querySelector<HTMLElement>('[type=submit]')?.focus();
  }, [refusal]);
  return (
    <form
      ref={element}
      // If the browser submits before hydration, a password must not end up in a URL.
      method="post"
      className={FORM_GRID}
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const fields = new FormData(form);
        change.make(async () => {
          const done = await onSubmit(fields);
          form.reset();
          return done;
        });
      }}
    >
      {children}
    </form>
  );
}
