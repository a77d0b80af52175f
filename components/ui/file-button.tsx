import { useRef } from 'react';
import { Button, type ButtonProps } from './button.tsx';

interface FileButtonProps extends Omit<ButtonProps, 'onClick'> {
  /** Names the field of the file. */
  readonly label: string;
  /** Extensions, such as `.geojson`. */
  readonly accept: readonly string[];
  readonly onFile: (file: File) => void;
}

/** A button that asks for a file. The same file can be chosen again once it is corrected. */
export function FileButton({ label, accept, onFile, ...button }: FileButtonProps) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...button} onClick={() => picker.current?.click()} />
      <input
        ref={picker}
        type="file"
        accept={accept.join(',')}
        aria-label={label}
        className="hidden"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) onFile(file);
          target.value = '';
        }}
      />
    </>
  );
}
