interface ChoicesProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
}

/** For long or many choices. */
export function Choices({ label, value, choices, onChange }: ChoicesProps) {
  return (
    <label className="block min-w-0">
      <span className="mb-1 block font-medium">{label}</span>
      <select
        value={value}
        onChange={({ target }) => onChange(target.value)}
        className="h-8 w-full min-w-0 rounded-control border border-edge bg-background px-2 phone:h-11"
      >
        {choices.map((each) => (
          <option key={each.value} value={each.value}>
            {each.label}
          </option>
        ))}
      </select>
    </label>
  );
}
