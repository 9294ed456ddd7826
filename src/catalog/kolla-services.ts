/** The services of Kolla's images: each has one file, and one line below. */
import { aodh } from './aodh.ts';
import { barbican } from './barbican.ts';
import { blazar } from './blazar.ts';
import { ceilometer } from './ceilometer.ts';
import { cinder } from './cinder.ts';
import { cloudkitty } from './cloudkitty.ts';
import { cyborg } from './cyborg.ts';
import { designate } from './designate.ts';
import { glance } from './glance.ts';
import { gnocchi } from './gnocchi.ts';
import { heat } from './heat.ts';
import { horizon } from './horizon.ts';
import { ironic } from './ironic.ts';
import { keystone } from './keystone.ts';
import { magnum } from './magnum.ts';
import { manila } from './manila.ts';
import { masakari } from './masakari.ts';
import { mistral } from './mistral.ts';
import { neutron } from './neutron.ts';
import { nova } from './nova.ts';
import { novaCell } from './nova-cell.ts';
import { octavia } from './octavia.ts';
import { placement } from './placement.ts';
import { skyline } from './skyline.ts';
import { tacker } from './tacker.ts';
import { trove } from './trove.ts';
import { watcher } from './watcher.ts';
import type { KollaService } from './service.ts';

export const KOLLA_SERVICES = {
  aodh,
  barbican,
  blazar,
  ceilometer,
  cinder,
  cloudkitty,
  cyborg,
  designate,
  glance,
  gnocchi,
  heat,
  horizon,
  ironic,
  keystone,
  magnum,
  manila,
  masakari,
  mistral,
  neutron,
  nova,
  'nova-cell': novaCell,
  octavia,
  placement,
  skyline,
  tacker,
  trove,
  watcher,
} as const satisfies Readonly<Record<string, KollaService>>;

export type ServiceName = keyof typeof KOLLA_SERVICES;
