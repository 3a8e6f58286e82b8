/** How monero-wallet-rpc is started in the image (`Dockerfile`), in which its working folder is empty at each start. Pure. */

/** The container has no other way in than this port, and only its own object reaches it: so there is no password. */
export const PORT = 18_083;

/**
 * An address that exists nowhere (RFC 5737): what the view-only wallet sends there is handed to `Daemon`. Nothing else
 * leaves its container.
 */
export const DAEMON_ADDRESS = '192.0.2.1:80';

const COMMON = [
	'monero-wallet-rpc',
	'--wallet-dir=.',
	'--rpc-bind-ip=0.0.0.0',
	'--confirm-external-bind',
	`--rpc-bind-port=${PORT}`,
	'--rpc-ssl=disabled',
	'--disable-rpc-login',
	'--disable-rpc-ban',
	'--non-interactive',
	'--no-dns',
	'--log-level=0',
	'--log-file=/dev/null',
] as const;

/** Without a memory of rings: a coin that a reorganisation moved could not be spent any more. */
export const VIEW_COMMAND: readonly string[] = [
	...COMMON,
	'--shared-ringdb-dir',
	'',
	`--daemon-address=${DAEMON_ADDRESS}`,
	'--daemon-ssl=disabled',
	'--trusted-daemon',
];

export const COLD_COMMAND: readonly string[] = [...COMMON, '--offline'];
