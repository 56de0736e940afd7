package redacttest

import "strings"

// password returns what a careful person chooses: letters, digits and a sign.
func (m maker) password() string { return m.str(alnum, 11) + "!" + m.str(digit, 2) }

// spoken are passwords and keys in the sentences of six languages, also with words between
// the label and its value.
func (m maker) spoken() []Secret {
	var out []Secret
	for _, s := range []struct{ kind, sentence string }{
		{"English, for something", "The password for the staging database is %s and rotates weekly"},
		{"English, with a colon", "password for the build server (read only): %s"},
		{"English, login", "log in as deploy with the password %s"},
		{"English, credentials", "credentials for the lab router: admin / %s"},
		{"English, user and password", "user: deploy, pass: %s"},
		{"English, root", "the root pw on nas-2 is %s"},
		{"English, passcode", "the passcode of the door controller is %s"},
		{"English, was changed", "my password has been changed to %s since Monday"},
		{"English, use", "use %s as the password for the demo tenant"},
		{"German", "Das Passwort lautet %s und gilt bis Freitag"},
		{"German, for something", "Passwort für den Testserver: %s"},
		{"German, is", "das Kennwort vom Drucker ist %s, bitte nicht weitergeben"},
		{"German, access", "Zugangsdaten fürs Portal: admin / %s"},
		{"German, PIN", "Die Geheimzahl ist %s, sagt Oma"},
		{"French", "le mot de passe est %s depuis lundi"},
		{"French, short", "mdp : %s pour le serveur de test"},
		{"French, of something", "mot de passe de la base de recette : %s"},
		{"Spanish", "la contraseña es %s hasta el viernes"},
		{"Spanish, of something", "contraseña del servidor de pruebas: %s"},
		{"Spanish, clave", "la clave de acceso es %s y caduca hoy"},
		{"Italian", "la password è %s per tutti"},
		{"Italian, of something", "parola d'ordine del router: %s"},
		{"Portuguese", "a senha é %s até sexta"},
		{"Portuguese, of something", "palavra-passe do servidor: %s"},
	} {
		value := m.password()
		if strings.HasSuffix(s.kind, "PIN") {
			value = m.str("123456789", 6)
		}
		out = append(out, in("spoken: "+s.kind, s.sentence, value))
	}
	return append(out,
		in("spoken: German key", "der API-Schlüssel ist %s für die Karte", m.str(alnum, 28)),
		in("spoken: French key", "la clé d'API est %s pour la carte", m.str(alnum, 28)),
		in("spoken: Spanish token", "el token de acceso es %s por ahora", m.str(alnum, 28)),
	)
}

// hidden are secrets behind characters that cannot be seen, and behind escapes.
func (m maker) hidden() []Secret {
	return []Secret{
		in("hidden: zero-width space in the label", "pass\u200bword: %s", m.password()),
		in("hidden: soft hyphen in the label", "pass\u00adword = %s", m.password()),
		in("hidden: word joiner and bidi mark", "\u202epass\u2060word\u202c: %s", m.password()),
		in("hidden: JSON in JSON", `{"body": "{\"password\": \"%s\"}"}`, m.str(alnum, 14)),
		in("hidden: HTML entity", "&quot;password&quot;: &quot;%s&quot;", m.str(alnum, 14)),
		in("hidden: numeric entity", "password&#58; %s", m.password()),
		in("hidden: percent", "body=user%%3Dbob%%26password%%3D%s", m.str(alnum, 14)),
		in("hidden: full-width", "ｐａｓｓｗｏｒｄ：%s", m.password()),
		in("hidden: no-break space", "the password\u00a0is\u00a0%s", m.password()),
		in("hidden: behind another label", "password: password: password: %s", m.password()),
		in("hidden: after a placeholder", "password: <see below> password: %s", m.password()),
	}
}

// written are secrets in the shapes of files: markup, tables, command lines, configuration.
func (m maker) written() []Secret {
	letters := func() string { return m.str(lower, 9) }
	return []Secret{
		in("file: XML element", "<server><username>bob</username><password>%s</password></server>", letters()),
		in("file: XML attribute", `<add key="DbPassword" value="%s" />`, letters()),
		in("file: plist", "<key>apiToken</key>\n<string>%s</string>", m.str(alnum, 24)),
		in("file: YAML env", "env:\n  - name: DB_PASSWORD\n    value: %s\n", letters()),
		in("file: YAML block", "password: |\n  %s\n", m.password()),
		in("file: YAML next line", "password:\n  value: %s\n", m.password()),
		in("file: docker env", "docker run -e POSTGRES_PASSWORD=%s postgres", letters()),
		in("file: CSV", "host,user,password\ndb1,bob,%s\n", letters()),
		in("file: CSV, second row", "user;password;host\nann;changeme;db1\nbob;%s;db2\n", m.password()),
		in("file: table", "| host | user | password |\n|---|---|---|\n| db1 | bob | %s |\n", letters()),
		in("file: table, last row", "| User | Passwort |\n| --- | --- |\n| ann | <leer> |\n| bob | %s |\n", m.password()),
		in("file: pair", "staging login: bob / %s", m.password()),
		in("file: kubeconfig token", "users:\n- name: ci\n  user:\n    token: %s\n", m.str(alnum, 40)),
		in("file: kubeconfig key", "    client-key-data: %s\n", m.str(base64s, 120)),
		in("file: kubernetes data", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: api\ndata:\n  token: %s\n", m.str(alnum, 24)),
		in("file: pgpass", "db.internal:5432:app:app:%s", m.str(alnum, 14)),
		in("file: openssl", "openssl rsa -in k.pem -passin pass:%s -out k2.pem", letters()),
		in("file: openssl encrypt", "openssl enc -aes-256-cbc -k %s -in a", m.password()),
		in("file: zip", "unzip -P %s backup.zip", m.password()),
		in("file: 7z", "7z x -p%s backup.7z", m.password()),
		in("file: ldap", "ldapsearch -D cn=admin -w %s -b dc=x", m.password()),
		in("file: smb", "smbclient //nas/x -U bob%%%s", m.password()),
		in("file: htpasswd command", "htpasswd -b .htpasswd bob %s", m.password()),
		in("file: gpg", "gpg --passphrase %s -d a.gpg", m.password()),
		in("file: git credential", "https://bob:%s@git.internal", m.str(alnum, 20)),
		in("file: curl oauth", "curl --oauth2-bearer %s https://api", m.str(alnum, 40)),
		in("file: ini", "[client]\nuser=bob\npassword=%s\n", letters()),
		in("file: toml", "[db]\npassword = '%s'\n", letters()),
		in("file: java properties", "spring.datasource.password=%s", letters()),
		in("file: terraform", "variable \"db_password\" {\n  default = \"%s\"\n}", letters()),
		in("file: ansible", "ansible_become_pass: %s", letters()),
		in("file: bcrypt", "the seed has %s for bob", "$2b$12$"+m.str(alnum, 53)),
		in("file: argon2", "hash is %s", "$argon2id$v=19$m=65536,t=3,p=4$"+m.str(alnum, 22)+"$"+m.str(alnum, 43)),
		in("file: shadow", "root:%s:19000:0:99999:7:::", "$6$"+m.str(alnum, 16)+"$"+m.str(alnum, 86)),
		in("file: htpasswd", "bob:%s", "$apr1$"+m.str(alnum, 8)+"$"+m.str(alnum, 22)),
		in("file: pbkdf2", "%s is the stored value", "pbkdf2_sha256$600000$"+m.str(alnum, 22)+"$"+m.str(alnum, 43)+"="),
		in("file: ldap hash", "userPassword: %s", "{SSHA}"+m.str(alnum, 32)),
		in("file: NT hash", "NTLM hash: %s", m.str(hexa, 32)),
		in("file: password md5", "password_md5 = %s", m.str(hexa, 32)),
	}
}

// urls are credentials in addresses and in what an address is followed by.
func (m maker) urls() []Secret {
	return []Secret{
		in("url: token as user", "git clone https://%s@git.internal/app.git", m.str(alnum, 40)),
		in("url: token and x-oauth", "git clone https://%s:x-oauth-basic@git.internal/app.git", m.str(alnum, 40)),
		in("url: SAS signature", "https://mem.blob.core.windows.net/c/f?sv=2022-11-02&se=2027-01-01&sr=b&sp=r&sig=%s", m.str(alnum, 43)+"%3D"),
		in("url: S3 signature", "https://b.s3.amazonaws.com/k?X-Amz-Expires=600&X-Amz-Signature=%s", m.str(hexa, 64)),
		in("url: OAuth code", "redirected to https://app/cb?state=1&code=%s", "4/0A"+m.str(alnum, 40)),
		in("url: access token", "GET /me?access_token=%s", m.str(alnum, 36)),
		in("url: API key", "https://maps/api?key=%s&q=x", m.str(alnum, 32)),
		in("url: password", "POST /login?user=bob&password=%s", m.str(lower, 10)),
		in("url: magic link", "https://app/reset-password?token=%s", m.str(alnum, 40)),
		in("url: sentry", "dsn https://%s@o1.ingest.sentry.io/2", m.str(hexa, 32)),
		in("url: mongodb", "mongodb+srv://app:%s@c0.mongodb.net/x", m.str(alnum, 16)),
		in("url: ftp", "ftp://bob:%s@ftp.internal/x", m.str(lower, 9)),
		in("url: calendar", "https://calendar.google.com/calendar/ical/x/private-%s/basic.ics", m.str(hexa, 32)),
	}
}

// prefixed are tokens that are known by how they begin.
func (m maker) prefixed() []Secret {
	var out []Secret
	for _, p := range []struct {
		kind, prefix string
		alphabet     string
		n            int
	}{
		{"Cloudflare origin key", "v1." + "0-", hexa, 146},
		{"Notion", "ntn" + "_", alnum, 46},
		{"Supabase", "sb_" + "secret_", alnum, 31},
		{"Replicate", "r8" + "_", alnum, 37},
		{"Mistral-like OpenRouter", "sk-or-" + "v1-", hexa, 64},
		{"Perplexity", "pplx" + "-", alnum, 48},
		{"xAI", "xai" + "-", alnum, 80},
		{"Tailscale", "tskey-" + "auth-", alnum, 40},
		{"Doppler", "dp.st" + ".prd.", alnum, 43},
		{"Pulumi", "pul" + "-", hexa, 40},
		{"Resend", "re" + "_", alnum, 32},
		{"Postman", "PMAK" + "-", hexa, 59},
		{"New Relic", "NRAK" + "-", upper + digit, 27},
		{"Grafana service account", "glsa" + "_", alnum, 41},
		{"Grafana cloud", "glc" + "_", alnum, 60},
		{"HashiCorp Vault", "hvs" + ".", alnum, 90},
		{"Terraform cloud", "AbCdEf12345678." + "atlasv1.", alnum, 67},
		{"Atlassian", "ATATT" + "3x", alnum, 180},
		{"Figma", "figd" + "_", alnum, 40},
		{"Airtable", "pat" + "Ab12Cd34Ef56Gh.", hexa, 64},
		{"PlanetScale", "pscale_" + "pw_", alnum, 43},
		{"Netlify", "nfp" + "_", alnum, 36},
		{"Fly", "fo1" + "_", alnum, 43},
		{"Buildkite", "bkua" + "_", hexa, 40},
		{"CircleCI", "CCIPAT" + "_", alnum, 64},
		{"RubyGems", "rubygems" + "_", hexa, 48},
		{"crates.io", "cio", alnum, 32},
		{"Docker organisation", "dckr_" + "oat_", alnum, 32},
		{"Square", "sq0" + "csp-", alnum, 43},
		{"Plaid", "access-" + "production-", hexa, 36},
		{"Razorpay", "rzp_" + "live_", alnum, 24},
		{"Flutterwave", "FLWSECK" + "-", hexa, 32},
		{"Mailgun", "key" + "-", hexa, 32},
		{"Mailchimp", "", hexa, 32},
		{"Brevo", "xkeysib" + "-", hexa, 64},
		{"Postmark-like Mapbox", "sk.eyJ1I" + "joi", alnum, 60},
		{"Dropbox", "sl" + ".", alnum, 130},
		{"Linear", "lin_" + "api_", alnum, 40},
		{"Asana", "1/12345678901" + "23456:", hexa, 32},
		{"Zapier-like Pipedream", "pd_" + "sk_", alnum, 40},
		{"Databricks", "dapi", hexa, 32},
		{"Snyk-like Sentry user token", "sntryu" + "_", hexa, 64},
		{"LangSmith", "lsv2_" + "pt_", hexa, 43},
		{"Pinecone", "pcsk" + "_", alnum, 68},
		{"Weights & Biases", "wandb_" + "v1_", alnum, 40},
		{"Nvidia", "nvapi" + "-", alnum, 64},
		{"Fireworks", "fw" + "_", alnum, 24},
		{"Cerebras", "csk" + "-", alnum, 48},
		{"Tavily", "tvly-" + "prod-", alnum, 32},
		{"Firecrawl", "fc" + "-", hexa, 32},
	} {
		value := p.prefix + m.str(p.alphabet, p.n)
		if p.kind == "Mailchimp" {
			value += "-us" + m.str("123456789", 1)
		}
		out = append(out, in("token: "+p.kind, "the job runs with %s since March", value))
	}
	return out
}

// opening are the codes that open doors and accounts, and passwords that are plain words.
func (m maker) opening() []Secret {
	word := func() string { return m.str(lower, 10) }
	d := func(n int) string { return m.str("123456789", n) }
	return []Secret{
		in("opens: word, with a reason", "password: %s because it is old", word()+"k"),
		in("opens: word, German preposition", "Passwort vom NAS: %s", word()+"k"),
		in("opens: word, user before", "username jdoe, password %s", word()+"k"),
		in("opens: username and password", "username jdoe password %s", word()+"k"),
		in("opens: pgpass in quotes", "deploy --with 'db.internal:5432:app:app:%s'", word()+"k"),
		in("opens: word, French user", "identifiant: pdupont, mot de passe: %s", word()+"k"),
		in("opens: creds and arrow", "db creds -> root:%s", m.password()),
		in("opens: German access", "Zugang zum Testsystem: tester / %s", m.password()),
		in("opens: still", "la contraseña del wifi sigue siendo %s", m.password()),
		in("opens: wifi key", "WLAN-Schlüssel: %s", d(16)),
		in("opens: door", "the door code is %s", d(6)),
		in("opens: German door", "Türcode: %s", d(5)),
		in("opens: PIN of something", "the PIN of the safe is %s", d(6)),
		in("opens: one-time code", "the one-time code she texted was %s", d(6)),
		in("opens: German recovery code", "Wiederherstellungscode: %s",
			m.str(upper+digit, 4)+"-"+m.str(upper+digit, 4)+"-7"+m.str(upper+digit, 3)),
		in("opens: 2FA backup", "2FA backup: %s", d(4)+"-"+d(4)),
		in("opens: sudo from stdin", "echo '%s' | sudo -S systemctl restart nginx", word()),
		in("opens: Azure", "az login --service-principal -u app -p %s --tenant x", m.password()),
		in("opens: Oracle", "sqlplus scott/%s@orcl", m.str(alnum, 12)),
		in("opens: MongoDB shell", "mongosh -u root -p %s admin", m.str(alnum, 12)),
		in("opens: net use", `net use \\nas\share /user:ops %s`, m.str(alnum, 12)),
		in("opens: httpie", "http -a ops:%s https://api.internal", m.str(alnum, 12)),
		in("opens: XML pass", "<user><name>ops</name><pass>%s</pass></user>", word()),
		in("opens: XML property", `<property name="hibernate.connection.password">%s</property>`, word()),
		in("opens: employer as profession", "she is a nurse at %s", "Zorb"+m.str(lower, 5)+" Hospital"),
		in("opens: employer, contractor", "I'm a contractor at %s until June", "Zorb"+m.str(lower, 5)+" Robotics"),
		in("opens: German employer", "ich bin bei der Firma %s angestellt", "Zorb"+m.str(lower, 5)+" GmbH"),
		in("opens: French birthday", "il est né le %s", d(1)+" avril 19"+d(2)),
		in("opens: CPF", "meu CPF é %s", d(3)+"."+d(3)+"."+d(3)+"-"+d(2)),
		in("opens: German insurance number", "Sozialversicherungsnummer %s", d(2)+" "+d(6)+" J "+d(3)),
	}
}
