from hypothesis import HealthCheck, settings

# A busy machine is no fault of the code: no example has a deadline.
settings.register_profile("ingest", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)
settings.load_profile("ingest")
