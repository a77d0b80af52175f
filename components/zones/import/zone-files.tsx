'use client';

import { Download, Upload } from 'lucide-react';
import { useState } from 'react';
import type { PricedZone } from '#lib/api/watching/zones.ts';
import { saveFile } from '#lib/client/browser/save-file.ts';
import { useMay } from '#lib/client/page/lookout-context.tsx';
import { ZONE_FORMATS, type ZoneFile } from '#lib/zones/zone.ts';
import { Button } from '../../ui/button.tsx';
import { FileButton } from '../../ui/file-button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import type { ImportedFile } from './import-page.tsx';

const FORMATS = Object.values<ZoneFile>(ZONE_FORMATS);
const TITLES = FORMATS.map(({ title }) => title);
const ACCEPTED = [...new Set(FORMATS.flatMap(({ extensions }) => extensions))];

interface ZoneFilesProps {
  readonly zones: readonly PricedZone[];
  readonly onFile: (file: ImportedFile) => void;
}

/** Takes a file of zones for an import, and makes files of all zones. */
export function ZoneFiles({ zones, onFile }: ZoneFilesProps) {
  const mayWatch = useMay('watch');
  const [problem, setProblem] = useState<string>();
  const read = async (file: File) => {
    setProblem(undefined);
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      onFile({ name: file.name, bytes, importedAt: new Date().toISOString() });
    } catch {
      setProblem('The file could not be read.');
    }
  };
  const save = async (name: string, { type = '', extensions }: ZoneFile) => {
    setProblem(undefined);
    const all = zones.map(({ zone }) => zone);
    try {
      const { exportZones } = await import('#lib/zones/formats/import-zones.ts');
      saveFile(new Blob([exportZones(name, all)], { type }), `lookout-zones${extensions[0]}`);
    } catch {
      setProblem('The file of zones could not be made. Try again.');
    }
  };
  return (
    <>
      {mayWatch && (
        <FileButton
          label={`File of zones: ${TITLES.slice(0, -1).join(', ')} or ${TITLES.at(-1)}`}
          accept={ACCEPTED}
          onFile={(file) => void read(file)}
        >
          <Upload aria-hidden size={14} />
          Import
        </FileButton>
      )}
      {zones.length > 0 && (
        <Menu
          trigger={
            <Button>
              <Download aria-hidden size={14} />
              Export
            </Button>
          }
        >
          {Object.entries<ZoneFile>(ZONE_FORMATS).map(
            ([name, format]) =>
              format.type !== undefined && (
                <MenuItem key={name} onSelect={() => void save(name, format)}>
                  All zones as {format.title}
                </MenuItem>
              ),
          )}
        </Menu>
      )}
      {problem !== undefined && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
    </>
  );
}
