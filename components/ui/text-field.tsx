import { FIELD } from './form-fields.tsx';

export interface TextFieldProps {
  readonly label: string;
  readonly name: string;
  readonly type: 'text' | 'password';
  readonly autoComplete: string;
  /** The limit in Unicode characters. */
  readonly maxLength: number;
  readonly optional?: boolean;
  readonly note?: string;
}

export function TextField({ label, maxLength, optional = false, note, ...input }: TextFieldProps) {
  return (
    <label className="flex flex-col gap-1 font-medium">
      {label}
      <input
        {...input}
        // Browsers count UTF-16 units here: up to two per character.
        maxLength={2 * maxLength}
        required={!optional}
        spellCheck={false}
        autoCapitalize="none"
        className={`${FIELD} font-normal`}
      />
      {note !== undefined && <span className="font-normal text-caption text-dim">{note}</span>}
    </label>
  );
}
