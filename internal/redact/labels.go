package redact

// The words that announce a password or a key, in six languages. They stand in regular
// expressions that ignore case.

func passwordWords() []form {
	return []form{
		{`pass(?:word|wd|phrase|code)s?`, "passphrase"},
		{`pass`, "pass"},
		{`pwd?`, "pw"},
		{`passw[oö]rt`, "Passwort"},
		{`kennwort`, "Kennwort"},
		{`geheimzahl`, "Geheimzahl"},
		{`zugangscode`, "Zugangscode"},
		{`mot de passe`, "mot de passe"},
		{`mdp`, "mdp"},
		{`code d['’]acc[eè]s`, "code d'accès"},
		{`contrase(?:ñ|n)a`, "contraseña"},
		{`clave(?: (?:de acceso|secreta|maestra))?`, "clave de acceso"},
		{`parola (?:d['’]ordine|chiave)`, "parola d'ordine"},
		{`senha`, "senha"},
		{`palavra-passe`, "palavra-passe"},
	}
}

// loginWords announce a user and a password.
func loginWords() []form {
	return []form{
		{`credentials?`, "credentials"},
		{`creds`, "creds"},
		{`logins?`, "login"},
		{`sign-?in`, "sign-in"},
		{`zugangsdaten`, "Zugangsdaten"},
		{`anmeldedaten`, "Anmeldedaten"},
		{`identifiants?`, "identifiants"},
		{`credenciales`, "credenciales"},
		{`credenziali`, "credenziali"},
		{`credenciais`, "credenciais"},
		{`acceso`, "acceso"},
		{`accesso`, "accesso"},
		{`acesso`, "acesso"},
		{`accès`, "accès"},
		{`zugang`, "Zugang"},
	}
}

// keyWords announce a token or a key in other languages than English.
func keyWords() []form {
	return []form{
		{`api[- ]?schl(?:ü|ue)ssel`, "API-Schlüssel"},
		{`zugriffs(?:schl(?:ü|ue)ssel|token)`, "Zugriffstoken"},
		{`cl[ée] (?:d['’]api|secr[èe]te|d['’]acc[èe]s)`, "clé d'API"},
		{`jeton(?: d['’]acc[èe]s)?`, "jeton d'accès"},
		{`clave (?:de )?(?:la )?api`, "clave de la API"},
		{`(?:token|llave) de acceso`, "token de acceso"},
		{`chiave (?:api|segreta|di accesso)`, "chiave API"},
		{`chave (?:de |da )?(?:api|acesso|secreta)`, "chave de acesso"},
		{`token d[ie] acc?esso`, "token di accesso"},
	}
}

// isWords stand between a label and its value.
func isWords() []form {
	return []form{
		{`is(?: now| still| set to| changed to)?`, "is still"},
		{`(?:ist |bleibt )(?:noch|immer noch|weiterhin)`, "ist immer noch"},
		{`c['’]est`, "c'est"},
		{`reste`, "reste"},
		{`sigue siendo`, "sigue siendo"},
		{`(?:è |resta )(?:ancora|sempre)?`, "è ancora"},
		{`(?:continua (?:sendo|a ser)|ainda é)`, "continua sendo"},
		{`was(?: changed to| set to)?`, "was changed to"},
		{`(?:has|have) been (?:changed|set|reset) to`, "has been changed to"},
		{`are`, "are"},
		{`to`, "to"},
		{`be`, "be"},
		{`lautet(?: jetzt| nun)?`, "lautet jetzt"},
		{`ist(?: jetzt| nun)?`, "ist"},
		{`hei(?:ß|ss)t`, "heißt"},
		{`war`, "war"},
		{`est`, "est"},
		{`es(?: ahora)?`, "es"},
		{`è`, "è"},
		{`é`, "é"},
		{`será`, "será"},
	}
}

// aboutPasswords are words that follow "password" where a feature is talked about.
const aboutPasswords = `(?i)\b(?:manager|polic(?:y|ies)|reset|hash(?:ing|es|ed)?|field|length|rules?|prompt|store|storage|expiry|expiration|cost|algorithm|` +
	`min|max|minimum|maximum|type|input|column|page|endpoint|url|env|variable|file|path|encoder|validator|validation|provider|plugin|` +
	`complexity|strength|requirements?|format|history|rotation|check|flow|form|grant|auth|login page|manager is|pattern|regex)\b`
