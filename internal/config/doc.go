// Package config holds every setting of mneme as one value that knows where
// each part of it came from, and the state file by which a running daemon
// tells other processes where its services are.
//
// [Load] takes a setting from the first place that has it: a flag, the
// environment, config.toml in the home folder, or the default. It reports all
// bad values at once. Secrets are never printed: [Config.Settings] and the
// config's own printed form show *** in their place.
package config
