import { SHORT_NAME_MAX_LENGTH } from '#lib/api/short-name.ts';

export interface ViewNameFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (name: string) => void;
  /** Called on Esc, which then does nothing else. */
  readonly onCancel?: () => void;
}

export function ViewNameField({ label, value, onChange, onCancel }: ViewNameFieldProps) {
  return (
    <input
      type="text"
      aria-label={label}
      placeholder={label}
      value={value}
      required
      // Browsers count UTF-16 units here: up to two per character.
      maxLength={2 * SHORT_NAME_MAX_LENGTH}
      autoComplete="off"
      // biome-ignore lint/a11y/noAutofocus: the operator has just asked to rename this view.
      autoFocus={onCancel !== undefined}
      onFocus={(event) => onCancel && event.currentTarget.select()}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !onCancel) return;
        event.preventDefault();
        onCancel();
      }}
      className="h-8 min-w-0 flex-1 rounded-control border border-edge bg-background px-3 text-body placeholder:text-dim phone:h-11"
    />
  );
}
