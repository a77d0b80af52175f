'use client';

import type { DestinationConfig, DestinationKind } from '#lib/api/outputs/destinations.ts';
import { ChoiceRow } from '../ui/choice-row.tsx';
import { NumberField } from '../zones/number-field.tsx';
import { CotFields } from './cot-fields.tsx';
import type { KindFieldsProps } from './destination-draft.ts';
import { ParsedRow, Problem, TextRow } from './fields.tsx';

const SECURITY = [
  { value: 'starttls', label: 'STARTTLS' },
  { value: 'tls', label: 'TLS' },
  { value: 'none', label: 'None' },
] as const;

const PRIORITIES = [
  { value: '1', label: 'Lowest' },
  { value: '2', label: 'Low' },
  { value: '3', label: 'Default' },
  { value: '4', label: 'High' },
  { value: '5', label: 'Highest' },
] as const;

const CA_NOTE =
  'PEM of the authority that signed the server’s certificate. Empty: the authorities that Node.js brings.';

export function KindFields({ config, problems, onChange }: KindFieldsProps<DestinationKind>) {
  const text = <Config extends DestinationConfig>(of: Config, name: keyof Config & string) => ({
    value: String(of[name]),
    problem: problems[name],
    onChange: (value: string) => onChange({ ...of, [name]: value }),
  });
  switch (config.kind) {
    case 'webhook':
      return (
        <TextRow
          label="Address"
          type="url"
          placeholder="https://"
          note="Receives signed CloudEvents (Standard Webhooks)."
          {...text(config, 'url')}
        />
      );
    case 'ntfy':
      return (
        <>
          <TextRow
            label="Address of the topic"
            type="url"
            placeholder="https://ntfy.example/topic"
            {...text(config, 'url')}
          />
          <ChoiceRow
            label="Priority"
            value={PRIORITIES.find(({ value }) => value === String(config.priority))?.value ?? '4'}
            choices={PRIORITIES}
            onChange={(value) => onChange({ ...config, priority: Number(value) })}
          />
        </>
      );
    case 'mail':
      return (
        <>
          <HostFields config={config} problems={problems} onChange={onChange} />
          <ChoiceRow
            label="Encryption"
            value={config.security}
            choices={SECURITY}
            onChange={(security) => onChange({ ...config, security })}
          />
          <TextRow label="Authority" note={CA_NOTE} isLong {...text(config, 'ca_pem')} />
          <TextRow label="User" note="Empty: no sign-in at the server." {...text(config, 'user')} />
          <TextRow label="From" {...text(config, 'from')} />
          <ParsedRow
            label="To"
            note="Up to 20 addresses, separated by commas."
            value={config.to}
            problem={problems.to}
            shown={(to) => to.join(', ')}
            read={(typed) => ({ value: typed.split(/[\s,;]+/).filter(Boolean) })}
            onChange={(to) => onChange({ ...config, to })}
          />
        </>
      );
    case 'mqtt':
      return (
        <>
          <TextRow
            label="Address of the broker"
            type="url"
            placeholder="mqtts://broker.example:8883"
            note="Home Assistant finds a device for each zone whose rules name this destination."
            {...text(config, 'url')}
          />
          <TextRow label="User" note="Empty: no sign-in at the broker." {...text(config, 'user')} />
          <TextRow label="Topic" {...text(config, 'topic')} />
          <TextRow label="Topic of discovery" {...text(config, 'discovery_topic')} />
          <TextRow label="Authority" note={CA_NOTE} isLong {...text(config, 'ca_pem')} />
        </>
      );
    case 'cot':
      return (
        <>
          <HostFields config={config} problems={problems} onChange={onChange} />
          <TextRow
            label="Client certificate"
            note="PEM. Its key is the secret below."
            isLong
            {...text(config, 'certificate_pem')}
          />
          <TextRow
            label="Name in its certificate"
            note="Such as takserver. Empty: the host."
            {...text(config, 'server_name')}
          />
          <TextRow label="Authority" note={CA_NOTE} isLong {...text(config, 'ca_pem')} />
          <CotFields config={config} problems={problems} onChange={onChange} />
        </>
      );
    case 'heartbeat':
      return (
        <TextRow
          label="Address"
          type="url"
          placeholder="https://"
          note="Receives a request each minute while Lookout watches. Its service raises the alarm when they stop."
          {...text(config, 'url')}
        />
      );
  }
}

function HostFields({ config, problems, onChange }: KindFieldsProps<'mail' | 'cot'>) {
  return (
    <>
      <TextRow
        label="Server"
        value={config.host}
        problem={problems.host}
        onChange={(host) => onChange({ ...config, host })}
      />
      <NumberField
        label="Port"
        unit=""
        value={config.port}
        min={1}
        max={65_535}
        onChange={(port) => port !== null && onChange({ ...config, port: Math.round(port) })}
      />
      <Problem text={problems.port} />
    </>
  );
}
